"""Resumes: documents in, profiles with honest confidence out."""
