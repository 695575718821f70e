import type { Operations } from "./Interface.ts"

/**
 * The method and path of each operation, and of each function that reads a whole list (`all…`). The type check names a
 * missing operation, and test/clients/typescript/Interface.test.ts compares the table with the API.
 */
export const routes: { readonly [Group in keyof Operations]: { readonly [Name in keyof Operations[Group]]: string } } =
  {
    account: {
      retrieveAccount: "GET /v1/account",
      updateAccount: "PATCH /v1/account",
      updateAccountByPost: "POST /v1/account",
      uploadCertificate: "POST /v1/account/certificate",
      startEnablement: "POST /v1/account/enablement",
      retrieveEnablement: "GET /v1/account/enablement",
      putSoftware: "PUT /v1/account/software",
      deleteSoftware: "DELETE /v1/account/software",
      putLogo: "PUT /v1/account/logo",
      retrieveLogo: "GET /v1/account/logo",
      deleteLogo: "DELETE /v1/account/logo"
    },
    accounts: {
      createAccount: "POST /v1/accounts",
      listAccounts: "GET /v1/accounts",
      allAccounts: "GET /v1/accounts",
      retrievePlatformAccount: "GET /v1/accounts/{id}",
      updatePlatformAccount: "PATCH /v1/accounts/{id}",
      suspendAccount: "POST /v1/accounts/{id}/suspend",
      resumeAccount: "POST /v1/accounts/{id}/resume",
      closeAccount: "POST /v1/accounts/{id}/close",
      retrieveUsage: "GET /v1/accounts/{id}/usage",
      createAccountApiKey: "POST /v1/accounts/{id}/api-keys"
    },
    apiKeys: {
      createApiKey: "POST /v1/api-keys",
      listApiKeys: "GET /v1/api-keys",
      allApiKeys: "GET /v1/api-keys",
      retrieveApiKey: "GET /v1/api-keys/{id}",
      revokeApiKey: "DELETE /v1/api-keys/{id}",
      rollApiKey: "POST /v1/api-keys/{id}/roll"
    },
    portalSessions: {
      createPortalSession: "POST /v1/portal-sessions",
      listPortalSessions: "GET /v1/portal-sessions",
      allPortalSessions: "GET /v1/portal-sessions",
      retrievePortalSession: "GET /v1/portal-sessions/{id}",
      endPortalSession: "DELETE /v1/portal-sessions/{id}"
    },
    customers: {
      createCustomer: "POST /v1/customers",
      listCustomers: "GET /v1/customers",
      allCustomers: "GET /v1/customers",
      validateCustomer: "POST /v1/customers/validate",
      putCustomer: "PUT /v1/customers/{id}",
      retrieveCustomer: "GET /v1/customers/{id}",
      updateCustomer: "PATCH /v1/customers/{id}",
      updateCustomerByPost: "POST /v1/customers/{id}",
      deleteCustomer: "DELETE /v1/customers/{id}"
    },
    acquirers: { retrieveAcquirer: "GET /v1/acquirers/{id}" },
    invoices: {
      createInvoice: "POST /v1/invoices",
      listInvoices: "GET /v1/invoices",
      allInvoices: "GET /v1/invoices",
      validateInvoice: "POST /v1/invoices/validate",
      retrieveInvoice: "GET /v1/invoices/{id}",
      cancelInvoice: "POST /v1/invoices/{id}/cancel",
      retryInvoice: "POST /v1/invoices/{id}/retry",
      correctInvoice: "POST /v1/invoices/{id}/correct",
      annulInvoice: "POST /v1/invoices/{id}/annul",
      retrieveInvoiceTimeline: "GET /v1/invoices/{id}/timeline",
      sendInvoiceEmail: "POST /v1/invoices/{id}/email",
      listInvoiceEmails: "GET /v1/invoices/{id}/emails",
      allInvoiceEmails: "GET /v1/invoices/{id}/emails"
    },
    files: {
      retrieveInvoicePdf: "GET /v1/invoices/{id}/pdf",
      retrieveInvoiceXml: "GET /v1/invoices/{id}/xml",
      retrieveCreditNotePdf: "GET /v1/credit-notes/{id}/pdf",
      retrieveCreditNoteXml: "GET /v1/credit-notes/{id}/xml",
      retrieveDebitNotePdf: "GET /v1/debit-notes/{id}/pdf",
      retrieveDebitNoteXml: "GET /v1/debit-notes/{id}/xml"
    },
    creditNotes: {
      createCreditNote: "POST /v1/credit-notes",
      listCreditNotes: "GET /v1/credit-notes",
      allCreditNotes: "GET /v1/credit-notes",
      validateCreditNote: "POST /v1/credit-notes/validate",
      retrieveCreditNote: "GET /v1/credit-notes/{id}",
      cancelCreditNote: "POST /v1/credit-notes/{id}/cancel",
      retryCreditNote: "POST /v1/credit-notes/{id}/retry",
      correctCreditNote: "POST /v1/credit-notes/{id}/correct",
      retrieveCreditNoteTimeline: "GET /v1/credit-notes/{id}/timeline",
      sendCreditNoteEmail: "POST /v1/credit-notes/{id}/email",
      listCreditNoteEmails: "GET /v1/credit-notes/{id}/emails",
      allCreditNoteEmails: "GET /v1/credit-notes/{id}/emails"
    },
    debitNotes: {
      createDebitNote: "POST /v1/debit-notes",
      listDebitNotes: "GET /v1/debit-notes",
      allDebitNotes: "GET /v1/debit-notes",
      validateDebitNote: "POST /v1/debit-notes/validate",
      retrieveDebitNote: "GET /v1/debit-notes/{id}",
      cancelDebitNote: "POST /v1/debit-notes/{id}/cancel",
      retryDebitNote: "POST /v1/debit-notes/{id}/retry",
      correctDebitNote: "POST /v1/debit-notes/{id}/correct",
      retrieveDebitNoteTimeline: "GET /v1/debit-notes/{id}/timeline",
      sendDebitNoteEmail: "POST /v1/debit-notes/{id}/email",
      listDebitNoteEmails: "GET /v1/debit-notes/{id}/emails",
      allDebitNoteEmails: "GET /v1/debit-notes/{id}/emails"
    },
    requests: {
      listRequests: "GET /v1/requests",
      allRequests: "GET /v1/requests",
      retrieveRequest: "GET /v1/requests/{id}"
    },
    auditLog: {
      listAuditEntries: "GET /v1/audit-log",
      allAuditEntries: "GET /v1/audit-log",
      retrieveAuditEntry: "GET /v1/audit-log/{id}"
    },
    notices: {
      listNotices: "GET /v1/notices",
      allNotices: "GET /v1/notices",
      retrieveNotice: "GET /v1/notices/{id}"
    },
    resolutions: {
      createResolution: "POST /v1/resolutions",
      listResolutions: "GET /v1/resolutions",
      allResolutions: "GET /v1/resolutions",
      importResolutions: "POST /v1/resolutions/import",
      retrieveResolution: "GET /v1/resolutions/{id}",
      updateResolution: "PATCH /v1/resolutions/{id}",
      updateResolutionByPost: "POST /v1/resolutions/{id}"
    },
    events: {
      listEvents: "GET /v1/events",
      allEvents: "GET /v1/events",
      retrieveEvent: "GET /v1/events/{id}",
      listEventDeliveries: "GET /v1/events/{id}/deliveries",
      allEventDeliveries: "GET /v1/events/{id}/deliveries"
    },
    webhookEndpoints: {
      createWebhookEndpoint: "POST /v1/webhook-endpoints",
      listWebhookEndpoints: "GET /v1/webhook-endpoints",
      allWebhookEndpoints: "GET /v1/webhook-endpoints",
      retrieveWebhookEndpoint: "GET /v1/webhook-endpoints/{id}",
      updateWebhookEndpoint: "PATCH /v1/webhook-endpoints/{id}",
      updateWebhookEndpointByPost: "POST /v1/webhook-endpoints/{id}",
      deleteWebhookEndpoint: "DELETE /v1/webhook-endpoints/{id}",
      rotateWebhookSecret: "POST /v1/webhook-endpoints/{id}/rotate-secret"
    },
    webhookDeliveries: {
      listWebhookEndpointDeliveries: "GET /v1/webhook-endpoints/{id}/deliveries",
      allWebhookEndpointDeliveries: "GET /v1/webhook-endpoints/{id}/deliveries",
      retrieveWebhookDelivery: "GET /v1/webhook-deliveries/{id}",
      listWebhookDeliveryAttempts: "GET /v1/webhook-deliveries/{id}/attempts",
      allWebhookDeliveryAttempts: "GET /v1/webhook-deliveries/{id}/attempts",
      redeliverWebhook: "POST /v1/webhook-deliveries/{id}/redeliver",
      recoverWebhookEndpoint: "POST /v1/webhook-endpoints/{id}/recover",
      testWebhookEndpoint: "POST /v1/webhook-endpoints/{id}/test"
    },
    catalogs: { retrieveCatalog: "GET /v1/catalogs/{catalog}" },
    testHelpers: {
      setSandboxAuthority: "POST /v1/test-helpers/authority",
      advanceClock: "POST /v1/test-helpers/advance"
    },
    versions: { listVersions: "GET /v1/versions" },
    health: { live: "GET /health/live", ready: "GET /health/ready" }
  }
