import { Layer } from "effect"
import { actionsLayer } from "./Actions.ts"
import { correctionLayer } from "./correction/Correction.ts"
import { documentLayer } from "./DocumentPage.ts"
import { archiveLayer, csvLayer } from "./Exports.ts"
import { listLayer } from "./ListPage.ts"
import { pdfLayer, qrLayer, xmlLayer } from "./Papers.ts"

/** The pages of all documents and of each. Requires `Guard`, `LocalApi` and the stores. */
export const layer = Layer.mergeAll(
  listLayer,
  csvLayer,
  archiveLayer,
  documentLayer,
  pdfLayer,
  xmlLayer,
  qrLayer,
  actionsLayer,
  correctionLayer
)
