--@ core
return text(now)
