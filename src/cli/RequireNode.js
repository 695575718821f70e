// Plain JavaScript, because the Node that is too old for Folio cannot read its first file.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `folio: needs Node 22.19 or later, and this is ${process.version}. In the repository, npm ci without --omit=optional brings one along on Linux.\n`
  )
  process.exit(1)
}
