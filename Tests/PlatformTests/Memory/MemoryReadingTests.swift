import FoundationEssentials
import Testing

@testable import VitrinePlatform

/// Memory readings of a fake machine.
struct MemoryReadingTests {
  private let machine: MachineFolder

  init() throws { machine = try MachineFolder() }

  private var files: KernelFiles { KernelFiles(root: machine.root) }
  private var reading: MemoryReading { MemoryReading(files, groups: ControlGroup.all(files)) }

  @Test func machineWithoutKernelFilesHasAnEmptyReading() {
    #expect(reading == MemoryReading())
    #expect(ControlGroup.all(files).isEmpty)
    #expect(MemoryBudget(files).bytes == MemoryBudget.largestDefault)
  }

  @Test func cgroupV2CountsAgainstItsLowerLimit() throws {
    try machine.writeGroup(current: "900", max: "2000", high: "1000")
    #expect(reading.fractionOfLimit == 0.9)
    try machine.writeGroup(current: "900", max: "1000", high: "max")
    #expect(reading.fractionOfLimit == 0.9)
    try machine.writeGroup(current: "900", max: "max", high: "max")
    #expect(reading.fractionOfLimit == 0)
  }

  @Test func parentGroupCountsToo() throws {
    try machine.writeGroup(current: "100", max: "max")
    try machine.write("80\n", to: "/sys/fs/cgroup/system.slice/memory.current")
    try machine.write("100\n", to: "/sys/fs/cgroup/system.slice/memory.max")

    #expect(reading.fractionOfLimit == 0.8)
  }

  @Test func fullestOfSeveralGroupsCounts() throws {
    try machine.writeGroup(current: "900", max: "1000")
    try machine.write("10\n", to: "/sys/fs/cgroup/system.slice/memory.current")
    try machine.write("100\n", to: "/sys/fs/cgroup/system.slice/memory.max")

    #expect(reading.fractionOfLimit == 0.9)
  }

  @Test func inactiveFilePagesDoNotCount() throws {
    try machine.writeGroup(current: "900", max: "1000", inactiveFile: 500)
    #expect(reading.fractionOfLimit == 0.4)
    try machine.writeGroup(current: "900", max: "1000", inactiveFile: 5000)
    #expect(reading.fractionOfLimit == 0)
  }

  @Test func cgroupV1IsRead() throws {
    try machine.write("11:cpu,cpuacct:/x\n4:memory:/box/inner\n0::/\n", to: "/proc/self/cgroup")
    let folder = "/sys/fs/cgroup/memory/box/inner"
    try machine.write("600\n", to: folder + "/memory.usage_in_bytes")
    try machine.write("1000\n", to: folder + "/memory.limit_in_bytes")
    try machine.write("inactive_file 1\ntotal_inactive_file 100\n", to: folder + "/memory.stat")
    #expect(reading.fractionOfLimit == 0.5)

    try machine.write("9223372036854771712\n", to: folder + "/memory.limit_in_bytes")
    #expect(reading.fractionOfLimit == 0, "no limit")
  }

  @Test func containerReadsItsGroupAtTheMountPoint() throws {
    try machine.write("4:memory:/docker/0123abc\n", to: "/proc/self/cgroup")
    try machine.write("700\n", to: "/sys/fs/cgroup/memory/memory.usage_in_bytes")
    try machine.write("1000\n", to: "/sys/fs/cgroup/memory/memory.limit_in_bytes")

    #expect(reading.fractionOfLimit == 0.7)
  }

  @Test func eventsAndStallsAreRead() throws {
    try machine.writeGroup(
      current: "1", max: "1000", events: "low 0\nhigh 3\nmax 4\noom 1\noom_kill 2\noom_group_kill 0\n",
      pressure: "some avg10=2.50 avg60=1.00 avg300=0.00 total=12\nfull avg10=1.25 avg60=0 avg300=0 total=1\n")
    try machine.write(
      "some avg10=12.00 avg60=1.00 avg300=0.00 total=12\nfull avg10=0.10 avg60=0 avg300=0 total=1\n",
      to: "/proc/pressure/memory")

    #expect(reading.limitHits == 7)
    #expect(reading.outOfMemory == 3)
    #expect(reading.someStalled == 12)
    #expect(reading.fullStalled == 1.25)
  }

  @Test(
    arguments: [
      ("7", 7), ("0.00", 0), ("0.05", 0.05), ("33.33", 33.33), ("100.00", 100), ("100.01", 0), ("1.2.3", 0),
      (".5", 0), ("5.", 0), ("1.x", 0), ("+5", 0), ("5.+3", 0), ("0.07", 0.07), ("0.14", 0.14),
      ("4294967296", 0),
    ] as [(String, Double)])
  func stallsAreDecimalNumbers(text: String, value: Double) throws {
    try machine.write("some avg10=\(text) avg60=1.00 avg300=0.00 total=12\n", to: "/proc/pressure/memory")

    #expect(reading.someStalled == value)
  }

  @Test func availableMemoryIsRead() throws {
    try machine.writeMachine(availableKilobytes: 50_000)
    #expect(reading.availableFraction == 0.05)
  }

  @Test(
    "Garbage in the kernel files gives an empty reading",
    arguments: [
      "", "\n", "max", "-5", "nan", "99999999999999999999999", "some", "avg10=", "\u{0}\u{0}", "0x10",
      "some avg10=-3",
      "some avg10=nan\nfull avg10=1e99", "high\nmax x\noom -1", "MemTotal: 0 kB\nMemAvailable: 5 kB", "é 5",
    ])
  func garbageGivesAnEmptyReading(text: String) throws {
    try machine.writeGroup(current: text, max: text, high: text, events: text, pressure: text)
    for path in ["/proc/meminfo", "/proc/pressure/memory"] { try machine.write(text, to: path) }
    #expect(reading == MemoryReading())
    try machine.write(text, to: "/proc/self/cgroup")
    _ = reading
    #expect(MemoryBudget(files).bytes == MemoryBudget.largestDefault)
  }

  @Test func foldersAndEscapingPathsAreIgnored() throws {
    try machine.write("0::/../../../etc\n9:memory\n::\n", to: "/proc/self/cgroup")
    try machine.write("x", to: "/proc/meminfo/inside")
    try machine.write("x", to: "/proc/pressure/memory/inside")

    #expect(reading == MemoryReading())
  }

  @Test func limitOfZeroIsExceededByAnyUsage() throws {
    try machine.writeGroup(current: "10", max: "0")
    #expect(reading.fractionOfLimit == 10)
  }

  @Test func budgetIsAQuarterOfTheLowestLimit() throws {
    try machine.writeMachine()
    #expect(MemoryBudget(files).bytes == 1_000_000 * 1024 / 4)
    try machine.writeGroup(current: "1", max: "400000000", high: "300000000")
    #expect(MemoryBudget(files).bytes == 75_000_000)
    try machine.writeGroup(current: "1", max: "1")
    #expect(MemoryBudget(files).bytes == 1 << 20)
  }
}
