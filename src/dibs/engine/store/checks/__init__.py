"""Refusing bad input before it reaches a store, so that all stores refuse alike.

A function called `check_…` refuses or does nothing; one called `fit_…` refuses, or gives what the store will be given.
"""
