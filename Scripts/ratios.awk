# Draws the chart of ratios in the README: `awk -f Scripts/ratios.awk Sources/Benchmarks/ratios.tsv`. Each row is a bar of
# Vitrine's time over a gray bar of its reference's time. The colors follow the reader's light or dark mode.

BEGIN {
  FS = "\t"
  unit = 125 # the length of the reference's bar
  left = 312 # the left end of all bars
  top = 76
  step = 32
}

FNR > 1 && NF == 5 { ratio[++count] = $3; task[count] = $4; reference[count] = $5 }

function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  return text
}

function rect(class, x, y, width, height) {
  printf "  <rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n", class, x, y, width, height
}

function label(class, x, y, text) {
  printf "  <text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", class, x, y, text
}

END {
  if (!count) exit 1
  height = top + count * step + 12
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"880\" height=\"%d\" viewBox=\"0 0 880 %d\" role=\"img\">\n", \
    height, height
  print "  <title>Time of Vitrine as a multiple of the time of its references</title>"
  print "  <style>"
  print "    text { font: 14px system-ui, \"DejaVu Sans\", sans-serif; fill: #1f2328 }"
  print "    .title { font-size: 17px } .note { fill: #59636e } .task { text-anchor: end }"
  print "    .value { font-weight: bold; fill: #1f2328 }"
  print "    .page { fill: #ffffff; stroke: #d1d9e0 } .reference { fill: #d1d9e0 }"
  print "    .faster { fill: #0969da } .slower { fill: #bc4c00 }"
  print "    @media (prefers-color-scheme: dark) {"
  print "      text, .value { fill: #f0f6fc } .note { fill: #9198a1 }"
  print "      .page { fill: #151b23; stroke: #3d444d } .reference { fill: #3d444d }"
  print "      .faster { fill: #4493f8 } .slower { fill: #db6d28 }"
  print "    }"
  print "  </style>"
  rect("page", 0, 0, 880, height)
  label("title", 24, 34, "Time of Vitrine, beside the time of what it is measured against")
  label("note", 24, 58, "A gray bar is the reference, with the length 1. Shorter is better.")
  for (row = 1; row <= count; row++) {
    y = top + (row - 1) * step
    long = ratio[row] > 1 ? ratio[row] : 1
    label("task", left - 12, y + 17, escaped(task[row]))
    rect("reference", left, y, unit, 24)
    rect(ratio[row] > 1 ? "slower" : "faster", left, y + 6, ratio[row] * unit + 0.5, 12)
    label("note", left + long * unit + 10, y + 17, \
      "<tspan class=\"value\">" ratio[row] "</tspan> × " escaped(reference[row]))
  }
  print "</svg>"
}
