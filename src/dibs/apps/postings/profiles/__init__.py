"""The people for whom agents apply: who they are, which resumes they have, and what they answer."""
