"""Our own layouts. Whole templates are kept aside: nobody looks at their pages while tuning."""

from evals.resumes.templates.catalogue import TEMPLATES, Template, find_templates

__all__ = ["TEMPLATES", "Template", "find_templates"]
