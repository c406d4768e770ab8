import Glibc

/// The functions of SQLite that the comparison calls. The library is loaded at run time, so that nothing else needs it.
struct SQLiteLibrary {
  typealias Database = OpaquePointer
  typealias Statement = OpaquePointer

  typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Database?>) -> Int32
  typealias Close = @convention(c) (Database?) -> Int32
  typealias Prepare =
    @convention(c) (
      Database?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<Statement?>, UnsafeMutableRawPointer?
    ) -> Int32
  /// The last argument is the function that releases the text or the bytes; nil if they stay valid.
  typealias BindText =
    @convention(c) (Statement?, Int32, UnsafePointer<CChar>, Int32, UnsafeRawPointer?) -> Int32
  typealias BindBlob =
    @convention(c) (Statement?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?) -> Int32
  typealias Run = @convention(c) (Statement?) -> Int32
  typealias ColumnBlob = @convention(c) (Statement?, Int32) -> UnsafeRawPointer?
  typealias ColumnBytes = @convention(c) (Statement?, Int32) -> Int32
  typealias Message = @convention(c) (Database?) -> UnsafePointer<CChar>

  let open: Open
  let close: Close
  let prepare: Prepare
  let bindText: BindText
  let bindBlob: BindBlob
  let step, reset, finalize: Run
  let columnBlob: ColumnBlob
  let columnBytes: ColumnBytes
  let message: Message

  /// Loads the library. Throws `NotMeasurable` if it is not installed or lacks a function.
  static func load() throws(NotMeasurable) -> SQLiteLibrary {
    guard let handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL) else {
      throw NotMeasurable("SQLite is not there: apt-get install libsqlite3-0")
    }
    return try SQLiteLibrary(handle)
  }

  private init(_ handle: UnsafeMutableRawPointer) throws(NotMeasurable) {
    // The types above are those of sqlite3.h.
    func function<Function>(_ name: String, _ type: Function.Type) throws(NotMeasurable) -> Function {
      guard let address = dlsym(handle, "sqlite3_" + name) else {
        throw NotMeasurable("libsqlite3.so.0 has no function sqlite3_\(name)")
      }
      return unsafeBitCast(address, to: type)
    }
    open = try function("open", Open.self)
    close = try function("close_v2", Close.self)
    prepare = try function("prepare_v2", Prepare.self)
    bindText = try function("bind_text", BindText.self)
    bindBlob = try function("bind_blob", BindBlob.self)
    step = try function("step", Run.self)
    reset = try function("reset", Run.self)
    columnBlob = try function("column_blob", ColumnBlob.self)
    columnBytes = try function("column_bytes", ColumnBytes.self)
    finalize = try function("finalize", Run.self)
    message = try function("errmsg", Message.self)
  }
}
