"""Job boards crawled into postings; agents claim a posting, apply, and leave what they sent."""
