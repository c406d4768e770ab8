#!/bin/sh
# Stands in for a decoder that crashes.
kill -SEGV $$
