// Plain JavaScript, because the Node that is too old for Folio cannot read its first file.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `folio: needs Node 22.19 or later, and this is ${process.version}. In the repository on Linux, npm ci --omit=dev installs one.\n`
  )
  process.exit(1)
}
