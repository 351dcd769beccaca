/**
 * Public key of the signing examples of the service. It is known to the default account, so that
 * the examples work without a change.
 */
export const sampleKey = {
  id: 'CUSTOMER_TEST_KEY_ID',
  key: [
    '-----BEGIN PUBLIC KEY-----',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEI+obCRXCx1q2ryRWOnFCiz0wkG9o',
    'JsHIxumXEWiHltozK17tVHEgGxrMKwlMhVGVtGfclcTJaadmJ35awrEA5w==',
    '-----END PUBLIC KEY-----',
    ''
  ].join('\n')
}
