DELETE FROM bodies WHERE digest = :body AND NOT EXISTS (SELECT 1 FROM pages WHERE body = :body)
