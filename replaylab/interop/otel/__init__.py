"""Imports OpenTelemetry spans about calls of language models: OTLP as JSON, under today's names and older ones."""

from replaylab.interop.otel.reader import OTEL

__all__ = ["OTEL"]
