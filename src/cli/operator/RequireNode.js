// Plain JavaScript: an old Node cannot read TypeScript.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `folio: needs Node 22.19 or later, but this is ${process.version}. In the repository on Linux, npm ci --omit=dev installs a later Node.\n`
  )
  process.exit(1)
}
