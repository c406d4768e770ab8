#!/bin/sh
# Simulates a decoder that crashes.
kill -SEGV $$
