/**
 * The children that UBL 2.1 (OASIS, os-UBL-2.1) and the authority's extension allow in the elements of our documents,
 * in this order: `?` at most once, `*` any number, `+` at least one, without a mark exactly one. The extension's own
 * elements follow annex 1.9, which requires more than its schema. An element that is not listed contains text.
 */
export const sequences: Readonly<Record<string, string>> = {
  "ext:UBLExtensions": "ext:UBLExtension+",
  "ext:UBLExtension": "ext:ExtensionContent",
  "sts:DianExtensions":
    "sts:InvoiceControl? sts:InvoiceSource sts:SoftwareProvider sts:SoftwareSecurityCode sts:AuthorizationProvider sts:QRCode",
  "sts:InvoiceControl": "sts:InvoiceAuthorization sts:AuthorizationPeriod sts:AuthorizedInvoices",
  "sts:AuthorizationPeriod": "cbc:StartDate cbc:EndDate",
  "sts:AuthorizedInvoices": "sts:Prefix? sts:From sts:To",
  "sts:InvoiceSource": "cbc:IdentificationCode",
  "sts:SoftwareProvider": "sts:ProviderID sts:SoftwareID",
  "sts:AuthorizationProvider": "sts:AuthorizationProviderID",
  Invoice:
    "ext:UBLExtensions? cbc:UBLVersionID? cbc:CustomizationID? cbc:ProfileID? cbc:ProfileExecutionID? cbc:ID " +
    "cbc:CopyIndicator? cbc:UUID? cbc:IssueDate cbc:IssueTime? cbc:DueDate? cbc:InvoiceTypeCode? cbc:Note* " +
    "cbc:TaxPointDate? cbc:DocumentCurrencyCode? cbc:TaxCurrencyCode? cbc:PricingCurrencyCode? " +
    "cbc:PaymentCurrencyCode? cbc:PaymentAlternativeCurrencyCode? cbc:AccountingCostCode? cbc:AccountingCost? " +
    "cbc:LineCountNumeric? cbc:BuyerReference? cac:InvoicePeriod* cac:OrderReference? cac:BillingReference* " +
    "cac:DespatchDocumentReference* cac:ReceiptDocumentReference* cac:StatementDocumentReference* " +
    "cac:OriginatorDocumentReference* cac:ContractDocumentReference* cac:AdditionalDocumentReference* " +
    "cac:ProjectReference* cac:Signature* cac:AccountingSupplierParty cac:AccountingCustomerParty cac:PayeeParty? " +
    "cac:BuyerCustomerParty? cac:SellerSupplierParty? cac:TaxRepresentativeParty? cac:Delivery* cac:DeliveryTerms? " +
    "cac:PaymentMeans* cac:PaymentTerms* cac:PrepaidPayment* cac:AllowanceCharge* cac:TaxExchangeRate? " +
    "cac:PricingExchangeRate? cac:PaymentExchangeRate? cac:PaymentAlternativeExchangeRate? cac:TaxTotal* " +
    "cac:WithholdingTaxTotal* cac:LegalMonetaryTotal cac:InvoiceLine+",
  CreditNote:
    "ext:UBLExtensions? cbc:UBLVersionID? cbc:CustomizationID? cbc:ProfileID? cbc:ProfileExecutionID? cbc:ID " +
    "cbc:CopyIndicator? cbc:UUID? cbc:IssueDate cbc:IssueTime? cbc:TaxPointDate? cbc:CreditNoteTypeCode? cbc:Note* " +
    "cbc:DocumentCurrencyCode? cbc:TaxCurrencyCode? cbc:PricingCurrencyCode? cbc:PaymentCurrencyCode? " +
    "cbc:PaymentAlternativeCurrencyCode? cbc:AccountingCostCode? cbc:AccountingCost? cbc:LineCountNumeric? " +
    "cbc:BuyerReference? cac:InvoicePeriod* cac:DiscrepancyResponse* cac:OrderReference? cac:BillingReference* " +
    "cac:DespatchDocumentReference* cac:ReceiptDocumentReference* cac:ContractDocumentReference* " +
    "cac:AdditionalDocumentReference* cac:StatementDocumentReference* cac:OriginatorDocumentReference* " +
    "cac:Signature* cac:AccountingSupplierParty cac:AccountingCustomerParty cac:PayeeParty? " +
    "cac:BuyerCustomerParty? cac:SellerSupplierParty? cac:TaxRepresentativeParty? cac:Delivery* cac:DeliveryTerms* " +
    "cac:PaymentMeans* cac:PaymentTerms* cac:TaxExchangeRate? cac:PricingExchangeRate? cac:PaymentExchangeRate? " +
    "cac:PaymentAlternativeExchangeRate? cac:AllowanceCharge* cac:TaxTotal* cac:LegalMonetaryTotal " +
    "cac:CreditNoteLine+",
  DebitNote:
    "ext:UBLExtensions? cbc:UBLVersionID? cbc:CustomizationID? cbc:ProfileID? cbc:ProfileExecutionID? cbc:ID " +
    "cbc:CopyIndicator? cbc:UUID? cbc:IssueDate cbc:IssueTime? cbc:Note* cbc:TaxPointDate? " +
    "cbc:DocumentCurrencyCode? cbc:TaxCurrencyCode? cbc:PricingCurrencyCode? cbc:PaymentCurrencyCode? " +
    "cbc:PaymentAlternativeCurrencyCode? cbc:AccountingCostCode? cbc:AccountingCost? cbc:LineCountNumeric? " +
    "cac:InvoicePeriod* cac:DiscrepancyResponse* cac:OrderReference? cac:BillingReference* " +
    "cac:DespatchDocumentReference* cac:ReceiptDocumentReference* cac:StatementDocumentReference* " +
    "cac:ContractDocumentReference* cac:AdditionalDocumentReference* cac:Signature* cac:AccountingSupplierParty " +
    "cac:AccountingCustomerParty cac:PayeeParty? cac:BuyerCustomerParty? cac:SellerSupplierParty? " +
    "cac:TaxRepresentativeParty? cac:PrepaidPayment* cac:AllowanceCharge* cac:Delivery* cac:DeliveryTerms* " +
    "cac:PaymentMeans* cac:PaymentTerms* cac:TaxExchangeRate? cac:PricingExchangeRate? cac:PaymentExchangeRate? " +
    "cac:PaymentAlternativeExchangeRate? cac:TaxTotal* cac:RequestedMonetaryTotal cac:DebitNoteLine+",
  ApplicationResponse:
    "ext:UBLExtensions? cbc:UBLVersionID? cbc:CustomizationID? cbc:ProfileID? cbc:ProfileExecutionID? cbc:ID " +
    "cbc:UUID? cbc:IssueDate cbc:IssueTime? cbc:ResponseDate? cbc:ResponseTime? cbc:Note* cbc:VersionID? " +
    "cac:Signature* cac:SenderParty cac:ReceiverParty cac:DocumentResponse*",
  AttachedDocument:
    "ext:UBLExtensions? cbc:UBLVersionID? cbc:CustomizationID? cbc:ProfileID? cbc:ProfileExecutionID? cbc:ID " +
    "cbc:UUID? cbc:IssueDate cbc:IssueTime? cbc:Note* cbc:DocumentTypeCode? cbc:DocumentType? cbc:ParentDocumentID " +
    "cbc:ParentDocumentTypeCode? cbc:ParentDocumentVersionID? cac:Signature* cac:SenderParty cac:ReceiverParty " +
    "cac:Attachment cac:ParentDocumentLineReference*",
  "cac:AccountingCustomerParty":
    "cbc:CustomerAssignedAccountID? cbc:SupplierAssignedAccountID? cbc:AdditionalAccountID* cac:Party? " +
    "cac:DeliveryContact? cac:AccountingContact? cac:BuyerContact?",
  "cac:AccountingSupplierParty":
    "cbc:CustomerAssignedAccountID? cbc:AdditionalAccountID* cbc:DataSendingCapability? cac:Party? " +
    "cac:DespatchContact? cac:AccountingContact? cac:SellerContact?",
  "cac:Address":
    "cbc:ID? cbc:AddressTypeCode? cbc:AddressFormatCode? cbc:Postbox? cbc:Floor? cbc:Room? cbc:StreetName? " +
    "cbc:AdditionalStreetName? cbc:BlockName? cbc:BuildingName? cbc:BuildingNumber? cbc:InhouseMail? " +
    "cbc:Department? cbc:MarkAttention? cbc:MarkCare? cbc:PlotIdentification? cbc:CitySubdivisionName? " +
    "cbc:CityName? cbc:PostalZone? cbc:CountrySubentity? cbc:CountrySubentityCode? cbc:Region? cbc:District? " +
    "cbc:TimezoneOffset? cac:AddressLine* cac:Country? cac:LocationCoordinate*",
  "cac:AddressLine": "cbc:Line",
  "cac:Attachment": "cbc:EmbeddedDocumentBinaryObject? cac:ExternalReference?",
  "cac:BillingReference":
    "cac:InvoiceDocumentReference? cac:SelfBilledInvoiceDocumentReference? cac:CreditNoteDocumentReference? " +
    "cac:SelfBilledCreditNoteDocumentReference? cac:DebitNoteDocumentReference? cac:ReminderDocumentReference? " +
    "cac:AdditionalDocumentReference? cac:BillingReferenceLine*",
  "cac:Contact": "cbc:ID? cbc:Name? cbc:Telephone? cbc:Telefax? cbc:ElectronicMail? cbc:Note* cac:OtherCommunication*",
  "cac:CorporateRegistrationScheme":
    "cbc:ID? cbc:Name? cbc:CorporateRegistrationTypeCode? cac:JurisdictionRegionAddress*",
  "cac:Country": "cbc:IdentificationCode? cbc:Name?",
  "cac:CreditNoteLine":
    "cbc:ID cbc:UUID? cbc:Note* cbc:CreditedQuantity? cbc:LineExtensionAmount? cbc:TaxPointDate? " +
    "cbc:AccountingCostCode? cbc:AccountingCost? cbc:PaymentPurposeCode? cbc:FreeOfChargeIndicator? " +
    "cac:InvoicePeriod* cac:OrderLineReference* cac:DiscrepancyResponse* cac:DespatchLineReference* " +
    "cac:ReceiptLineReference* cac:BillingReference* cac:DocumentReference* cac:PricingReference? " +
    "cac:OriginatorParty? cac:Delivery* cac:PaymentTerms* cac:TaxTotal* cac:AllowanceCharge* cac:Item? cac:Price? " +
    "cac:DeliveryTerms* cac:SubCreditNoteLine* cac:ItemPriceExtension?",
  "cac:DebitNoteLine":
    "cbc:ID cbc:UUID? cbc:Note* cbc:DebitedQuantity? cbc:LineExtensionAmount cbc:TaxPointDate? " +
    "cbc:AccountingCostCode? cbc:AccountingCost? cbc:PaymentPurposeCode? cac:DiscrepancyResponse* " +
    "cac:DespatchLineReference* cac:ReceiptLineReference* cac:BillingReference* cac:DocumentReference* " +
    "cac:PricingReference? cac:Delivery* cac:TaxTotal* cac:AllowanceCharge* cac:Item? cac:Price? " +
    "cac:SubDebitNoteLine*",
  "cac:Delivery":
    "cbc:ID? cbc:Quantity? cbc:MinimumQuantity? cbc:MaximumQuantity? cbc:ActualDeliveryDate? " +
    "cbc:ActualDeliveryTime? cbc:LatestDeliveryDate? cbc:LatestDeliveryTime? cbc:ReleaseID? cbc:TrackingID? " +
    "cac:DeliveryAddress? cac:DeliveryLocation? cac:AlternativeDeliveryLocation? cac:RequestedDeliveryPeriod? " +
    "cac:PromisedDeliveryPeriod? cac:EstimatedDeliveryPeriod? cac:CarrierParty? cac:DeliveryParty? " +
    "cac:NotifyParty* cac:Despatch? cac:DeliveryTerms* cac:MinimumDeliveryUnit? cac:MaximumDeliveryUnit? " +
    "cac:Shipment?",
  "cac:DeliveryAddress":
    "cbc:ID? cbc:AddressTypeCode? cbc:AddressFormatCode? cbc:Postbox? cbc:Floor? cbc:Room? cbc:StreetName? " +
    "cbc:AdditionalStreetName? cbc:BlockName? cbc:BuildingName? cbc:BuildingNumber? cbc:InhouseMail? " +
    "cbc:Department? cbc:MarkAttention? cbc:MarkCare? cbc:PlotIdentification? cbc:CitySubdivisionName? " +
    "cbc:CityName? cbc:PostalZone? cbc:CountrySubentity? cbc:CountrySubentityCode? cbc:Region? cbc:District? " +
    "cbc:TimezoneOffset? cac:AddressLine* cac:Country? cac:LocationCoordinate*",
  "cac:DeliveryTerms":
    "cbc:ID? cbc:SpecialTerms* cbc:LossRiskResponsibilityCode? cbc:LossRisk* cbc:Amount? cac:DeliveryLocation? " +
    "cac:AllowanceCharge?",
  "cac:DiscrepancyResponse":
    "cbc:ReferenceID? cbc:ResponseCode? cbc:Description* cbc:EffectiveDate? cbc:EffectiveTime? cac:Status*",
  "cac:DocumentReference":
    "cbc:ID cbc:CopyIndicator? cbc:UUID? cbc:IssueDate? cbc:IssueTime? cbc:DocumentTypeCode? cbc:DocumentType? " +
    "cbc:XPath* cbc:LanguageID? cbc:LocaleCode? cbc:VersionID? cbc:DocumentStatusCode? cbc:DocumentDescription* " +
    "cac:Attachment? cac:ValidityPeriod? cac:IssuerParty? cac:ResultOfVerification?",
  "cac:DocumentResponse": "cac:Response cac:DocumentReference+ cac:IssuerParty? cac:RecipientParty? cac:LineResponse*",
  "cac:ExternalReference":
    "cbc:URI? cbc:DocumentHash? cbc:HashAlgorithmMethod? cbc:ExpiryDate? cbc:ExpiryTime? cbc:MimeCode? " +
    "cbc:FormatCode? cbc:EncodingCode? cbc:CharacterSetCode? cbc:FileName? cbc:Description*",
  "cac:InvoiceDocumentReference":
    "cbc:ID cbc:CopyIndicator? cbc:UUID? cbc:IssueDate? cbc:IssueTime? cbc:DocumentTypeCode? cbc:DocumentType? " +
    "cbc:XPath* cbc:LanguageID? cbc:LocaleCode? cbc:VersionID? cbc:DocumentStatusCode? cbc:DocumentDescription* " +
    "cac:Attachment? cac:ValidityPeriod? cac:IssuerParty? cac:ResultOfVerification?",
  "cac:InvoiceLine":
    "cbc:ID cbc:UUID? cbc:Note* cbc:InvoicedQuantity? cbc:LineExtensionAmount cbc:TaxPointDate? " +
    "cbc:AccountingCostCode? cbc:AccountingCost? cbc:PaymentPurposeCode? cbc:FreeOfChargeIndicator? " +
    "cac:InvoicePeriod* cac:OrderLineReference* cac:DespatchLineReference* cac:ReceiptLineReference* " +
    "cac:BillingReference* cac:DocumentReference* cac:PricingReference? cac:OriginatorParty? cac:Delivery* " +
    "cac:PaymentTerms* cac:AllowanceCharge* cac:TaxTotal* cac:WithholdingTaxTotal* cac:Item cac:Price? " +
    "cac:DeliveryTerms? cac:SubInvoiceLine* cac:ItemPriceExtension?",
  "cac:Item":
    "cbc:Description* cbc:PackQuantity? cbc:PackSizeNumeric? cbc:CatalogueIndicator? cbc:Name? " +
    "cbc:HazardousRiskIndicator? cbc:AdditionalInformation* cbc:Keyword* cbc:BrandName* cbc:ModelName* " +
    "cac:BuyersItemIdentification? cac:SellersItemIdentification? cac:ManufacturersItemIdentification* " +
    "cac:StandardItemIdentification? cac:CatalogueItemIdentification? cac:AdditionalItemIdentification* " +
    "cac:CatalogueDocumentReference? cac:ItemSpecificationDocumentReference* cac:OriginCountry? " +
    "cac:CommodityClassification* cac:TransactionConditions* cac:HazardousItem* cac:ClassifiedTaxCategory* " +
    "cac:AdditionalItemProperty* cac:ManufacturerParty* cac:InformationContentProviderParty? cac:OriginAddress* " +
    "cac:ItemInstance* cac:Certificate* cac:Dimension*",
  "cac:LegalMonetaryTotal":
    "cbc:LineExtensionAmount? cbc:TaxExclusiveAmount? cbc:TaxInclusiveAmount? cbc:AllowanceTotalAmount? " +
    "cbc:ChargeTotalAmount? cbc:PrepaidAmount? cbc:PayableRoundingAmount? cbc:PayableAmount " +
    "cbc:PayableAlternativeAmount?",
  "cac:LineReference": "cbc:LineID cbc:UUID? cbc:LineStatusCode? cac:DocumentReference?",
  "cac:LineResponse": "cac:LineReference cac:Response+",
  "cac:ParentDocumentLineReference": "cbc:LineID cbc:UUID? cbc:LineStatusCode? cac:DocumentReference?",
  "cac:Party":
    "cbc:MarkCareIndicator? cbc:MarkAttentionIndicator? cbc:WebsiteURI? cbc:LogoReferenceID? cbc:EndpointID? " +
    "cbc:IndustryClassificationCode? cac:PartyIdentification* cac:PartyName* cac:Language? cac:PostalAddress? " +
    "cac:PhysicalLocation? cac:PartyTaxScheme* cac:PartyLegalEntity* cac:Contact? cac:Person* cac:AgentParty? " +
    "cac:ServiceProviderParty* cac:PowerOfAttorney* cac:FinancialAccount?",
  "cac:PartyIdentification": "cbc:ID",
  "cac:PartyLegalEntity":
    "cbc:RegistrationName? cbc:CompanyID? cbc:RegistrationDate? cbc:RegistrationExpirationDate? " +
    "cbc:CompanyLegalFormCode? cbc:CompanyLegalForm? cbc:SoleProprietorshipIndicator? " +
    "cbc:CompanyLiquidationStatusCode? cbc:CorporateStockAmount? cbc:FullyPaidSharesIndicator? " +
    "cac:RegistrationAddress? cac:CorporateRegistrationScheme? cac:HeadOfficeParty? cac:ShareholderParty*",
  "cac:PartyName": "cbc:Name",
  "cac:PartyTaxScheme":
    "cbc:RegistrationName? cbc:CompanyID? cbc:TaxLevelCode? cbc:ExemptionReasonCode? cbc:ExemptionReason* " +
    "cac:RegistrationAddress? cac:TaxScheme",
  "cac:PaymentExchangeRate":
    "cbc:SourceCurrencyCode cbc:SourceCurrencyBaseRate? cbc:TargetCurrencyCode cbc:TargetCurrencyBaseRate? " +
    "cbc:ExchangeMarketID? cbc:CalculationRate? cbc:MathematicOperatorCode? cbc:Date? cac:ForeignExchangeContract?",
  "cac:PaymentMeans":
    "cbc:ID? cbc:PaymentMeansCode cbc:PaymentDueDate? cbc:PaymentChannelCode? cbc:InstructionID? " +
    "cbc:InstructionNote* cbc:PaymentID* cac:CardAccount? cac:PayerFinancialAccount? cac:PayeeFinancialAccount? " +
    "cac:CreditAccount? cac:PaymentMandate? cac:TradeFinancing?",
  "cac:PaymentTerms":
    "cbc:ID? cbc:PaymentMeansID* cbc:PrepaidPaymentReferenceID? cbc:Note* cbc:ReferenceEventCode? " +
    "cbc:SettlementDiscountPercent? cbc:PenaltySurchargePercent? cbc:PaymentPercent? cbc:Amount? " +
    "cbc:SettlementDiscountAmount? cbc:PenaltyAmount? cbc:PaymentTermsDetailsURI? cbc:PaymentDueDate? " +
    "cbc:InstallmentDueDate? cbc:InvoicingPartyReference? cac:SettlementPeriod? cac:PenaltyPeriod? " +
    "cac:ExchangeRate? cac:ValidityPeriod?",
  "cac:PhysicalLocation":
    "cbc:ID? cbc:Description* cbc:Conditions* cbc:CountrySubentity? cbc:CountrySubentityCode? " +
    "cbc:LocationTypeCode? cbc:InformationURI? cbc:Name? cac:ValidityPeriod* cac:Address? cac:SubsidiaryLocation* " +
    "cac:LocationCoordinate*",
  "cac:Price":
    "cbc:PriceAmount cbc:BaseQuantity? cbc:PriceChangeReason* cbc:PriceTypeCode? cbc:PriceType? " +
    "cbc:OrderableUnitFactorRate? cac:ValidityPeriod* cac:PriceList? cac:AllowanceCharge* cac:PricingExchangeRate?",
  "cac:ReceiverParty":
    "cbc:MarkCareIndicator? cbc:MarkAttentionIndicator? cbc:WebsiteURI? cbc:LogoReferenceID? cbc:EndpointID? " +
    "cbc:IndustryClassificationCode? cac:PartyIdentification* cac:PartyName* cac:Language? cac:PostalAddress? " +
    "cac:PhysicalLocation? cac:PartyTaxScheme* cac:PartyLegalEntity* cac:Contact? cac:Person* cac:AgentParty? " +
    "cac:ServiceProviderParty* cac:PowerOfAttorney* cac:FinancialAccount?",
  "cac:RegistrationAddress":
    "cbc:ID? cbc:AddressTypeCode? cbc:AddressFormatCode? cbc:Postbox? cbc:Floor? cbc:Room? cbc:StreetName? " +
    "cbc:AdditionalStreetName? cbc:BlockName? cbc:BuildingName? cbc:BuildingNumber? cbc:InhouseMail? " +
    "cbc:Department? cbc:MarkAttention? cbc:MarkCare? cbc:PlotIdentification? cbc:CitySubdivisionName? " +
    "cbc:CityName? cbc:PostalZone? cbc:CountrySubentity? cbc:CountrySubentityCode? cbc:Region? cbc:District? " +
    "cbc:TimezoneOffset? cac:AddressLine* cac:Country? cac:LocationCoordinate*",
  "cac:RequestedMonetaryTotal":
    "cbc:LineExtensionAmount? cbc:TaxExclusiveAmount? cbc:TaxInclusiveAmount? cbc:AllowanceTotalAmount? " +
    "cbc:ChargeTotalAmount? cbc:PrepaidAmount? cbc:PayableRoundingAmount? cbc:PayableAmount " +
    "cbc:PayableAlternativeAmount?",
  "cac:Response":
    "cbc:ReferenceID? cbc:ResponseCode? cbc:Description* cbc:EffectiveDate? cbc:EffectiveTime? cac:Status*",
  "cac:ResultOfVerification":
    "cbc:ValidatorID? cbc:ValidationResultCode? cbc:ValidationDate? cbc:ValidationTime? cbc:ValidateProcess? " +
    "cbc:ValidateTool? cbc:ValidateToolVersion? cac:SignatoryParty?",
  "cac:SenderParty":
    "cbc:MarkCareIndicator? cbc:MarkAttentionIndicator? cbc:WebsiteURI? cbc:LogoReferenceID? cbc:EndpointID? " +
    "cbc:IndustryClassificationCode? cac:PartyIdentification* cac:PartyName* cac:Language? cac:PostalAddress? " +
    "cac:PhysicalLocation? cac:PartyTaxScheme* cac:PartyLegalEntity* cac:Contact? cac:Person* cac:AgentParty? " +
    "cac:ServiceProviderParty* cac:PowerOfAttorney* cac:FinancialAccount?",
  "cac:StandardItemIdentification":
    "cbc:ID cbc:ExtendedID? cbc:BarcodeSymbologyID? cac:PhysicalAttribute* cac:MeasurementDimension* " +
    "cac:IssuerParty?",
  "cac:TaxCategory":
    "cbc:ID? cbc:Name? cbc:Percent? cbc:BaseUnitMeasure? cbc:PerUnitAmount? cbc:TaxExemptionReasonCode? " +
    "cbc:TaxExemptionReason* cbc:TierRange? cbc:TierRatePercent? cac:TaxScheme",
  "cac:TaxScheme": "cbc:ID? cbc:Name? cbc:TaxTypeCode? cbc:CurrencyCode? cac:JurisdictionRegionAddress*",
  "cac:TaxSubtotal":
    "cbc:TaxableAmount? cbc:TaxAmount cbc:CalculationSequenceNumeric? cbc:TransactionCurrencyTaxAmount? " +
    "cbc:Percent? cbc:BaseUnitMeasure? cbc:PerUnitAmount? cbc:TierRange? cbc:TierRatePercent? cac:TaxCategory",
  "cac:TaxTotal":
    "cbc:TaxAmount cbc:RoundingAmount? cbc:TaxEvidenceIndicator? cbc:TaxIncludedIndicator? cac:TaxSubtotal*",
  "cac:AgentParty":
    "cbc:MarkCareIndicator? cbc:MarkAttentionIndicator? cbc:WebsiteURI? cbc:LogoReferenceID? cbc:EndpointID? " +
    "cbc:IndustryClassificationCode? cac:PartyIdentification* cac:PartyName* cac:Language? cac:PostalAddress? " +
    "cac:PhysicalLocation? cac:PartyTaxScheme* cac:PartyLegalEntity* cac:Contact? cac:Person* cac:AgentParty? " +
    "cac:ServiceProviderParty* cac:PowerOfAttorney* cac:FinancialAccount?",
  "cac:AllowanceCharge":
    "cbc:ID? cbc:ChargeIndicator cbc:AllowanceChargeReasonCode? cbc:AllowanceChargeReason* " +
    "cbc:MultiplierFactorNumeric? cbc:PrepaidIndicator? cbc:SequenceNumeric? cbc:Amount cbc:BaseAmount? " +
    "cbc:AccountingCostCode? cbc:AccountingCost? cbc:PerUnitAmount? cac:TaxCategory* cac:TaxTotal? cac:PaymentMeans*",
  "cac:AlternativeConditionPrice":
    "cbc:PriceAmount cbc:BaseQuantity? cbc:PriceChangeReason* cbc:PriceTypeCode? cbc:PriceType? " +
    "cbc:OrderableUnitFactorRate? cac:ValidityPeriod* cac:PriceList? cac:AllowanceCharge* cac:PricingExchangeRate?",
  "cac:DespatchDocumentReference":
    "cbc:ID cbc:CopyIndicator? cbc:UUID? cbc:IssueDate? cbc:IssueTime? cbc:DocumentTypeCode? cbc:DocumentType? " +
    "cbc:XPath* cbc:LanguageID? cbc:LocaleCode? cbc:VersionID? cbc:DocumentStatusCode? cbc:DocumentDescription* " +
    "cac:Attachment? cac:ValidityPeriod? cac:IssuerParty? cac:ResultOfVerification?",
  "cac:InformationContentProviderParty":
    "cbc:MarkCareIndicator? cbc:MarkAttentionIndicator? cbc:WebsiteURI? cbc:LogoReferenceID? cbc:EndpointID? " +
    "cbc:IndustryClassificationCode? cac:PartyIdentification* cac:PartyName* cac:Language? cac:PostalAddress? " +
    "cac:PhysicalLocation? cac:PartyTaxScheme* cac:PartyLegalEntity* cac:Contact? cac:Person* cac:AgentParty? " +
    "cac:ServiceProviderParty* cac:PowerOfAttorney* cac:FinancialAccount?",
  "cac:InvoicePeriod":
    "cbc:StartDate? cbc:StartTime? cbc:EndDate? cbc:EndTime? cbc:DurationMeasure? cbc:DescriptionCode* " +
    "cbc:Description*",
  "cac:OrderReference":
    "cbc:ID cbc:SalesOrderID? cbc:CopyIndicator? cbc:UUID? cbc:IssueDate? cbc:IssueTime? cbc:CustomerReference? " +
    "cbc:OrderTypeCode? cac:DocumentReference?",
  "cac:PowerOfAttorney":
    "cbc:ID? cbc:IssueDate? cbc:IssueTime? cbc:Description* cac:NotaryParty? cac:AgentParty cac:WitnessParty* " +
    "cac:MandateDocumentReference*",
  "cac:PrepaidPayment": "cbc:ID? cbc:PaidAmount? cbc:ReceivedDate? cbc:PaidDate? cbc:PaidTime? cbc:InstructionID?",
  "cac:PricingReference": "cac:OriginalItemLocationQuantity? cac:AlternativeConditionPrice*",
  "cac:SellersItemIdentification":
    "cbc:ID cbc:ExtendedID? cbc:BarcodeSymbologyID? cac:PhysicalAttribute* cac:MeasurementDimension* cac:IssuerParty?",
  "cac:WithholdingTaxTotal":
    "cbc:TaxAmount cbc:RoundingAmount? cbc:TaxEvidenceIndicator? cbc:TaxIncludedIndicator? cac:TaxSubtotal*"
}
