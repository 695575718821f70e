import { launch } from "./cli/operator/Launch.ts"

await launch(process.argv.slice(2))
