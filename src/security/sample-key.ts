/**
 * Public key of the signing examples of the service. It is known to the default account, so that
 * the examples work without a change.
 */
export const sampleKey = {
  id: 'CUSTOMER_TEST_KEY_ID',
  key: [
    '-----BEGIN PUBLIC KEY-----',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMarHD6R7v1IZDkJw18wLisp2W9QI',
    'WbnjJKPtUT/GMJfKkX5oQWZpg+wUVRiPDunmFx+rGnx4Fuaa5Fydv6VjXg==',
    '-----END PUBLIC KEY-----',
    ''
  ].join('\n')
}
