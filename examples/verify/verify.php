<?php

declare(strict_types=1);

/** Without these in it, a signature could be put on another message. */
const MUST_BE_COVERED = ['@method', '@authority', '@path', 'content-digest'];
const DIGESTS = ['sha-256' => 'sha256', 'sha-512' => 'sha512'];
const ALGORITHMS = [
    'ecdsa-p256-sha256' => [OPENSSL_KEYTYPE_EC, OPENSSL_ALGO_SHA256],
    'ecdsa-p384-sha384' => [OPENSSL_KEYTYPE_EC, OPENSSL_ALGO_SHA384],
    'rsa-v1_5-sha256' => [OPENSSL_KEYTYPE_RSA, OPENSSL_ALGO_SHA256],
    'rsa-pss-sha512' => [OPENSSL_KEYTYPE_RSA, null],
];

/**
 * Is this callback genuine? In a web server: $method is $_SERVER['REQUEST_METHOD'],
 * $url $_SERVER['REQUEST_URI'], $headers array_change_key_case(getallheaders()),
 * $body file_get_contents('php://input'), $keys what GET /v2/public-key/http answered.
 *
 * @param array<string, string> $headers with names in lower case
 * @param list<array{id: string, key: string}> $keys
 */
function isGenuine(
    string $method,
    string $url,
    array $headers,
    string $body,
    array $keys,
    ?int $now = null
): bool {
    $form = '/^([\w.*-]+)=(\(([^)]*)\).*)$/D';
    if (!preg_match($form, $headers['signature-input'] ?? '', $signed)) return false;
    $form = '/^([\w.*-]+)=:([^:]+):$/D';
    if (!preg_match($form, $headers['signature'] ?? '', $signature)) return false;
    [, $label, $input, $list] = $signed;
    [, $name, $value] = $signature;
    if ($label !== $name) return false;

    preg_match_all('/"([^"]+)"/', $list, $found);
    $covered = $found[1];
    if (array_diff(MUST_BE_COVERED, $covered) !== []) return false;
    if (!preg_match('/;expires=(\d+)/', $input, $expires)) return false;
    if (($now ?? time()) > (int) $expires[1]) return false;
    if (!isDigestOf($body, $headers['content-digest'] ?? '')) return false;

    $derived = ['@method' => $method, '@authority' => strtolower($headers['host'] ?? ''),
        '@path' => explode('?', $url)[0]];
    $line = fn (string $name): string =>
        "\"$name\": " . ($derived[$name] ?? $headers[$name] ?? '');
    $base = implode("\n", [...array_map($line, $covered), "\"@signature-params\": $input"]);
    preg_match('/;alg="([^"]+)"/', $input, $algorithm);
    [$type, $hash] = ALGORITHMS[$algorithm[1] ?? ''] ?? [null, null];
    foreach ($keys as ['id' => $id, 'key' => $pem]) {
        if (!str_contains($input, ";keyid=\"$id\"")) continue;
        $key = openssl_pkey_get_public($pem);
        if ($key === false || openssl_pkey_get_details($key)['type'] !== $type) return false;
        $bytes = (string) base64_decode($value, true);
        return $hash === null
            ? verifiesPss($base, $bytes, $key)
            : openssl_verify($base, $bytes, $key, $hash) === 1;
    }
    return false;
}

/** Does every known digest fit the body, and is there one? */
function isDigestOf(string $body, string $header): bool
{
    preg_match_all('/([\w-]+)=:([^:]*):/', $header, $found, PREG_SET_ORDER);
    $known = array_filter($found, fn (array $one): bool => isset(DIGESTS[$one[1]]));
    foreach ($known as [, $name, $value]) {
        if (!hash_equals(base64_encode(hash(DIGESTS[$name], $body, true)), $value)) return false;
    }
    return $known !== [];
}

/** RSASSA-PSS with SHA-512 and a salt of 64 bytes (RFC 8017, 9.1.2), which openssl_verify lacks. */
function verifiesPss(string $base, string $signature, OpenSSLAsymmetricKey $key): bool
{
    if (!openssl_public_decrypt($signature, $text, $key, OPENSSL_NO_PADDING)) return false;
    $size = strlen($text) - 65;
    [$masked, $digest] = [substr($text, 0, $size), substr($text, $size, 64)];
    $mask = '';
    for ($n = 0; strlen($mask) < $size; $n++) $mask .= hash('sha512', $digest . pack('N', $n), true);
    $data = $masked ^ substr($mask, 0, $size);
    $data[0] = chr(ord($data[0]) & 0x7f);
    $salt = substr($data, -64);
    $expected = hash('sha512', str_repeat("\0", 8) . hash('sha512', $base, true) . $salt, true);
    return $text[-1] === "\xbc" && hash_equals($expected, $digest)
        && substr($data, 0, -64) === str_repeat("\0", $size - 65) . "\x01";
}
