import Glibc

/// The standard descriptors of the process: input, output and error output.
nonisolated enum StandardDescriptors {
  /// Opens `/dev/null` for each standard descriptor that the parent process has closed. Otherwise the next pipe or file
  /// that the program opens would take its number, and would be read as input or receive the output.
  ///
  /// Reading from a closed input then finds its end at once, and writing to a closed output fails, so that a result that
  /// is lost is reported. Messages to a closed error output are dropped. Called before anything else is opened.
  static func openClosed() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // The lowest free number is taken, which is this one.
      _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
