# Lists comments that may be hard to read: documentation comments that open with a question word, and indefinite persons.

FNR == 1 { inside = 0 }

{
  isDocumentation = match($0, /^ *\/\/\/ /)
  if (isDocumentation && !inside && $0 ~ /^ *\/\/\/ (What|Whether|Who|Whom|Whose|How|Of|That|Which|Where|Those) /) {
    print FILENAME ":" FNR ": opens with a question word: " $0
    count++
  }
  if ($0 ~ /\/\/.*(^|[^A-Za-z])([Nn]obody|[Ss]omebody|[Ww]hoever|[Ww]homever|[Ww]hatever|[Aa]new)([^A-Za-z]|$)/) {
    print FILENAME ":" FNR ": indefinite: " $0
    count++
  }
  inside = isDocumentation || $0 ~ /^ *\/\/\/$/
}

END { if (count) print count " comments deserve another look" }
