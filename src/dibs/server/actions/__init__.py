"""What routes do: one verb each."""
