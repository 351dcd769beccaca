/** Codes of the catalogue and of the API reference. `npm run schema` writes this. */

export type CatalogueCountry =
  | 'BEN'
  | 'BFA'
  | 'CMR'
  | 'CIV'
  | 'COD'
  | 'COG'
  | 'ETH'
  | 'GAB'
  | 'GHA'
  | 'KEN'
  | 'LSO'
  | 'MWI'
  | 'MOZ'
  | 'NGA'
  | 'RWA'
  | 'SEN'
  | 'SLE'
  | 'TZA'
  | 'UGA'
  | 'ZMB'
  | 'MLI'
  | 'TCD'
  | 'TGO'

export type CatalogueProvider =
  | 'MTN_MOMO_BEN'
  | 'MOOV_BEN'
  | 'CELTIIS_BEN'
  | 'MOOV_BFA'
  | 'ORANGE_BFA'
  | 'MTN_MOMO_CMR'
  | 'ORANGE_CMR'
  | 'MTN_MOMO_CIV'
  | 'ORANGE_CIV'
  | 'WAVE_CIV'
  | 'VODACOM_MPESA_COD'
  | 'AIRTEL_COD'
  | 'ORANGE_COD'
  | 'AIRTEL_COG'
  | 'MTN_MOMO_COG'
  | 'MPESA_ETH'
  | 'AIRTEL_GAB'
  | 'MTN_MOMO_GHA'
  | 'AIRTELTIGO_GHA'
  | 'VODAFONE_GHA'
  | 'MPESA_KEN'
  | 'MPESA_LSO'
  | 'AIRTEL_MWI'
  | 'TNM_MWI'
  | 'MOVITEL_MOZ'
  | 'VODACOM_MOZ'
  | 'AIRTEL_NGA'
  | 'MTN_MOMO_NGA'
  | 'AIRTEL_RWA'
  | 'MTN_MOMO_RWA'
  | 'FREE_SEN'
  | 'ORANGE_SEN'
  | 'WAVE_SEN'
  | 'ORANGE_SLE'
  | 'AIRTEL_TZA'
  | 'VODACOM_TZA'
  | 'TIGO_TZA'
  | 'HALOTEL_TZA'
  | 'AIRTEL_OAPI_UGA'
  | 'MTN_MOMO_UGA'
  | 'AIRTEL_OAPI_ZMB'
  | 'MTN_MOMO_ZMB'
  | 'ZAMTEL_ZMB'
  | 'ORANGE_MLI'
  | 'AIRTEL_TCD'
  | 'MOOV_TCD'
  | 'TOGOCOM_TGO'
  | 'MOOV_TGO'

export const operationIds = [
  'v1CancelEnqueuedPayout',
  'v1FindDeposit',
  'v1FindPayout',
  'v1FindRefund',
  'v1GetActiveConfiguration',
  'v1GetAvailability',
  'v1InitiateDeposit',
  'v1InitiatePayout',
  'v1InitiatePayouts',
  'v1InitiateRefund',
  'v1ListPublicKeys',
  'v1ListWalletBalances',
  'v1ListWalletBalancesOfCountry',
  'v1OpenPaymentPage',
  'v1PredictProvider',
  'v1ResendDepositCallback',
  'v1ResendPayoutCallback',
  'v1ResendRefundCallback',
  'v2CancelEnqueuedPayout',
  'v2CancelEnqueuedRefund',
  'v2CancelEnqueuedRemittance',
  'v2ExpireCheckout',
  'v2FindCheckout',
  'v2FindDeposit',
  'v2FindPayout',
  'v2FindRefund',
  'v2FindRemittance',
  'v2FindSplitPayment',
  'v2FindStatement',
  'v2GetActiveConfiguration',
  'v2GetAvailability',
  'v2InitiateCheckout',
  'v2InitiateDeposit',
  'v2InitiatePayout',
  'v2InitiatePayouts',
  'v2InitiateRefund',
  'v2InitiateRemittance',
  'v2InitiateRemittances',
  'v2InitiateSplitPayment',
  'v2ListPublicKeys',
  'v2ListWalletBalances',
  'v2OpenPaymentPage',
  'v2PredictProvider',
  'v2RequestStatement',
  'v2ResendDepositCallback',
  'v2ResendPayoutCallback',
  'v2ResendRefundCallback',
  'v2ResendRemittanceCallback'
] as const

export type OperationId = (typeof operationIds)[number]
