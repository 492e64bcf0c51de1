from dibs.services.resumes.reading import read_document

PAGE = b"""<html><style>
.table { display: table } .row { display: table-row } .cell { display: table-cell }</style><body>
<div class="table"><div class="row"><div class="cell">Jan 2020</div><div class="cell">Baker</div></div></div>
<div class="table"><p>Nothing in here is a cell.</p></div></body></html>"""


def test_a_table_made_by_a_style_sheet_keeps_its_text():
    document = read_document(PAGE, name="page.html")
    lines = [line.text for block in document.blocks or () for line in block.lines]
    assert lines == ["Jan 2020 Baker", "Nothing in here is a cell."]
