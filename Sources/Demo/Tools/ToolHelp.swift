/// The text of `vitrine cache --help` and `vitrine prefetch --help`.
nonisolated enum ToolHelp {
  static let text = """
    usage: vitrine cache COMMAND [--cache DIR] [--json]
           vitrine prefetch FEED [--cache DIR | --into DIR] [--size WxH]… [--json]

      cache ls                list the stored images: status, size, time of the store, age, freshness, URL;
                              a digest stands for the URL of an image that depends on a secret
      cache stat              print counts and sizes of images, of their decoded pixels, and of incomplete
                              downloads
      cache verify            read and check everything; --repair removes damaged files and pixels
      cache trim              remove what exceeds the limits, which a seed does not have; --limit MIB sets
                              one for images and pixels together, of which images are kept first
      cache clear             remove all stored images and pixels
      cache export FILE|-     write all stored images to one file, without pixels
      cache import FILE|-     store the images of such a file that are undamaged and newer; left out are
                              images that depend on a secret of another folder, and that have no room
      prefetch FEED           load the images of a folder, a file, a list or its URL onto disk, as --feed does

      --cache DIR             folder of the disk cache ($XDG_CACHE_HOME/vitrine, else ~/.cache/vitrine)
      --into DIR              folder that is filled and that all users may read afterwards: a seed,
                              for “vitrine --seed DIR”
      --size WxH              also store the pixels of each image, scaled to fill this size, for the software
                              renderer; others decode the image again; may be repeated
      --json                  print JSON on standard output
      --help                  print this text

    All commands may run while other programs use the folder. ls, stat, verify without --repair and export
    change nothing. Progress is written to standard error, as a bar on a terminal.
    Ctrl-C, SIGTERM and a closed terminal end a command early with exit code 1; whatever is stored by then is
    whole, and a file that was not finished is not written. Exit codes: 0 success, 1 failure or damage, 2
    wrong usage.
    """
}
