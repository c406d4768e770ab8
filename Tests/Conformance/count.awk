# Counts a list of behaviours against the tests of one run.
#
#   awk -f count.awk behaviours.tsv events.jsonl
#
# A behaviour is shown when at least one test with its id in the display name passed, and none failed; otherwise it counts as
# missing, whatever the list says. Prints a line for each prefix, the sum of all, and the missing behaviours. Ends with 1 if one is
# missing that the list does not give as such, or if list and tests contradict each other.

# The list: id, status, behaviour, reason.
FILENAME == ARGV[1] {
  if ($0 ~ /^#/ || $0 == "") next
  split($0, field, "\t")
  prefix = field[1]; sub(/[0-9]+$/, "", prefix)
  if (!(prefix in total)) prefixes[++count] = prefix
  total[prefix]++
  if (field[1] in status) { print "line " FNR ": " field[1] " is listed twice"; wrong = 1 }
  ids[++listed] = field[1]; status[field[1]] = field[2]; of[field[1]] = prefix
  reason[field[1]] = field[4]
  if (field[2] != "shown" && (field[2] !~ /^(deviates|missing)$/ || field[4] == "")) {
    print "line " FNR ": neither shown, nor a deviation or missing with its reason"; wrong = 1
  }
  next
}

# A test: its display name tells which behaviours it shows.
/^{"kind":"test",/ && /"displayName":"/ {
  name = $0; sub(/.*"displayName":"/, "", name); sub(/","id":".*/, "", name)
  test = $0; sub(/.*","id":"/, "", test); sub(/","(isParameterized|kind|name)".*/, "", test)
  names[test] = name
}

# Its end.
/^{"kind":"event",/ && /"kind":"testEnded"/ {
  test = $0; sub(/.*"testID":"/, "", test); sub(/".*/, "", test)
  if (!(test in names)) next
  passed = $0 ~ /"symbol":"pass"/
  rest = names[test]
  while (match(rest, /[A-Z]+-[A-Z]+[0-9]+/)) {
    id = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
    prefix = id; sub(/[0-9]+$/, "", prefix)
    if ((prefix in total) && !(id in status)) { print "a test shows " id ", which is not in the list"; wrong = 1 }
    if (passed) seen[id]++; else failed[id]++
  }
}

END {
  for (i = 1; i <= listed; i++) {
    id = ids[i]
    if (failed[id]) { missing[of[id]]++; lost = lost "\n  " id ": its test failed" }
    else if (status[id] == "deviates") deviates[of[id]]++
    else if (status[id] == "missing") {
      missing[of[id]]++; awaited = awaited "\n  " id ": " reason[id]
      if (seen[id]) { print "a test shows " id ", which is listed as missing"; wrong = 1 }
    }
    else if (seen[id]) shown[of[id]]++
    else { missing[of[id]]++; lost = lost "\n  " id ": no test with the id has passed" }
  }
  for (i = 1; i <= count; i++) {
    p = prefixes[i]
    printf "%s shown %d deviates %d missing %d of %d\n", p, shown[p], deviates[p], missing[p], total[p]
    shown_in_all += shown[p]; deviates_in_all += deviates[p]; missing_in_all += missing[p]
  }
  printf "%d: shown %d deviates %d missing %d\n", listed, shown_in_all, deviates_in_all, missing_in_all
  if (lost awaited != "") print "missing:" lost awaited
  exit (lost != "" || wrong) ? 1 : 0
}
