-- A body that is there already is written only if it is not what its name says any more.
INSERT INTO bodies (digest, size, content) VALUES (:body, length(:content), :content)
ON CONFLICT (digest) DO UPDATE SET content = excluded.content WHERE content IS NOT excluded.content
