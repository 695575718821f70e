import { Layer } from "effect"
import { Concurrency } from "../http/limits/Concurrency.ts"
import { RequestTurns } from "../http/limits/RequestTurns.ts"
import { layerAssets } from "../http/service/Docs.ts"
import * as Bench from "./bench/Bench.ts"
import * as Customers from "./customers/Customers.ts"
import * as Documents from "./documents/Documents.ts"
import * as Endpoints from "./endpoints/Endpoints.ts"
import * as Events from "./events/Events.ts"
import { copyScript, htmx, style } from "./frame/Layout.ts"
import * as Routes from "./frame/Routes.ts"
import * as Home from "./home/Home.ts"
import * as Requests from "./requests/Requests.ts"
import * as Entrance from "./session/Entrance.ts"
import { Guard } from "./session/Guard.ts"
import * as Setup from "./setup/Setup.ts"

/** The portal: pages in which people see and drive their account. Requires `LocalApi` and the stores. */
export const layer = Layer.mergeAll(
  layerAssets([style, htmx, copyScript]),
  Entrance.layer,
  Home.layer,
  Documents.layer,
  Customers.layer,
  Events.layer,
  Endpoints.layer,
  Requests.layer,
  Setup.layer,
  Bench.layer,
  Routes.rest
).pipe(Layer.provide([Guard.layer, Concurrency.layer, RequestTurns.layer]))
