// Every test of the demo runs it.
@_exported import DemoRuns
