import type { CufeInput } from "../../../src/documents/rules/Cufe.ts"

/**
 * Invoice codes with the text of which they are the SHA-384. All but the last were published: by the authority's annex
 * (pages 689, 612, 614) and by an open implementation.
 */
export const codes: ReadonlyArray<{
  readonly number: string
  readonly input: CufeInput
  readonly text: string
  readonly code: string
}> = [
  {
    number: "323200000129",
    input: {
      issue_date: "2019-01-16",
      issue_time: "10:53:10-05:00",
      line_extension_amount: "1500000.00",
      tax_01: "285000.00",
      tax_04: "0.00",
      tax_03: "0.00",
      payable_amount: "1785000.00",
      supplier_nit: "700085371",
      customer_id: "800199436",
      key: "693ff6f2a553c3646a063436fd4dd9ded0311471",
      environment: "1"
    },
    text: "3232000001292019-01-1610:53:10-05:001500000.0001285000.00040.00030.001785000.00700085371800199436693ff6f2a553c3646a063436fd4dd9ded03114711",
    code: "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4"
  },
  {
    number: "8110007871",
    input: {
      issue_date: "2019-01-12",
      issue_time: "07:00:00-05:00",
      line_extension_amount: "5000.00",
      tax_01: "950.00",
      tax_04: "0.00",
      tax_03: "0.00",
      payable_amount: "5950.00",
      supplier_nit: "900373076",
      customer_id: "8355990",
      key: "12301",
      environment: "1"
    },
    text: "81100078712019-01-1207:00:00-05:005000.0001950.00040.00030.005950.009003730768355990123011",
    code: "907e4444decc9e59c160a2fb3b6659b33dc5b632a5008922b9a62f83f757b1c448e47f5867f2b50dbdb96f48c7681168"
  },
  {
    number: "ND1001",
    input: {
      issue_date: "2019-01-18",
      issue_time: "10:58:00-05:00",
      line_extension_amount: "30000.00",
      tax_01: "0.00",
      tax_04: "2400.00",
      tax_03: "0.00",
      payable_amount: "32400.00",
      supplier_nit: "900197264",
      customer_id: "10254102",
      key: "10201",
      environment: "2"
    },
    text: "ND10012019-01-1810:58:00-05:0030000.00010.00042400.00030.0032400.0090019726410254102102012",
    code: "3fa73a86d57d9341c536afde1f85c4efd9d4591c2c22bce4dfb0e6b0d2e83b8f047a8bde7098292e9d2493e60d1c31da"
  },
  {
    number: "NC1000",
    input: {
      issue_date: "2019-06-27",
      issue_time: "08:00:20-05:00",
      line_extension_amount: "0.00",
      tax_01: "0.00",
      tax_04: "0.00",
      tax_03: "0.00",
      payable_amount: "0.00",
      supplier_nit: "9000000",
      customer_id: "9000000",
      key: "xxxxx",
      environment: "2"
    },
    text: "NC10002019-06-2708:00:20-05:000.00010.00040.00030.000.0090000009000000xxxxx2",
    code: "60a024139af65a986830609895271ad17f4d5d51effc4d8ad9db09096bce5786bba43003fd47211d72417866bc61642c"
  },
  {
    number: "SETP990000001",
    input: {
      issue_date: "2026-11-20",
      issue_time: "10:00:00-05:00",
      line_extension_amount: "100000.00",
      tax_01: "19000.00",
      tax_04: "0.00",
      tax_03: "0.00",
      payable_amount: "119000.00",
      supplier_nit: "900373115",
      customer_id: "900000001",
      key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c",
      environment: "2"
    },
    text: "SETP9900000012026-11-2010:00:00-05:00100000.000119000.00040.00030.00119000.00900373115900000001fc8eac422eba16e22ffd8c6f94b3f40a6e38162c2",
    code: "3e6cc1ac03588499ef886a4371f84fe83b808154135440d1f2b4d44d24b1b53a0dbb3ede0fd8d22a6fe3d86784be3a10"
  }
]

/** Published security codes of documents (Stenfrank/ubl21dian, its tests of signatures). */
export const securityCodes = [
  ["SETP990000008", "54d15940890b5ed395e7476d294a972cee650200942adb7a899de35cb0cf22f98831e7c9a95d90b961c6845340b09efd"],
  ["NC1000", "eb7ff57a48c4bc5840e846382346e2a5546a3903c150fdf34bec4e7e8fb29c6437ef9c99575f0f78f80f7dfcc97d3e02"],
  ["ND1", "31e48a81d2d90d1cd81d386d9c4fc5c0030ef582b401b3825bcd0d1d17e1d6441b5b7b95e10d11d5c65861daa2bada67"]
] as const

/** Amounts as an issuer may compute them, and as a document shows them: truncated, not rounded. */
export const truncations = [
  ["33000", "33000.00"],
  ["30555.55", "30555.55"],
  ["12037.046", "12037.04"],
  ["2444.4", "2444.40"],
  ["1234567.895", "1234567.89"]
] as const

/** NITs in use with their check digits, as the authority and issuers print them. */
export const nits = [
  ["800197268", "4"],
  ["901458652", "7"],
  ["800134536", "3"],
  ["41261533", "2"],
  ["811007991", "8"],
  ["12449965", "4"],
  ["830080150", "1"],
  ["70060270", "3"],
  ["901451481", "2"],
  ["901451480", "5"],
  ["901210113", "3"],
  ["890903938", "8"],
  ["899999034", "1"],
  ["860002964", "4"],
  ["899999063", "3"],
  ["901249232", "0"],
  ["89008003", "2"]
] as const

/** Check digits that only computation confirms, among them the shortest numbers and the longest in use. */
export const computedNits = [
  ["900000001", "2"],
  ["900373115", "3"],
  ["900373076", "4"],
  ["900197264", "8"],
  ["700085371", "1"],
  ["800199436", "4"],
  ["222222222222", "7"],
  ["1", "8"],
  ["10", "4"],
  ["11", "1"]
] as const

/** NITs with a wrong check digit. */
export const invalidNits = [
  ["41261533", "1"],
  ["900000001", "1"]
] as const
