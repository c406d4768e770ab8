// All tests of the demo use `VitrineProgram`.
@_exported import DemoRuns
