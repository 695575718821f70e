/* The service as it is. What is to be another is handed to `main`. */
import { main } from "@folio-einvoicing/service"

main()
