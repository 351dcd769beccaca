<?php

declare(strict_types=1);

/** Components that the signature covers, in this order. */
const COVERED = ['@method', '@authority', '@path', 'signature-date', 'content-digest',
    'content-type', 'content-length'];

/**
 * Returns the headers of a signed request. Send exactly these headers and exactly this body.
 *
 * @param string $privateKey an EC P-256 key as PEM
 * @return array<string, string>
 */
function signRequest(
    string $method,
    string $url,
    string $body,
    string $keyId,
    string $privateKey,
    ?int $now = null
): array {
    $created = $now ?? time();
    $headers = [
        'signature-date' => gmdate('Y-m-d\TH:i:s\Z', $created),
        'content-digest' => 'sha-512=:' . base64_encode(hash('sha512', $body, true)) . ':',
        'content-type' => 'application/json; charset=UTF-8',
        'content-length' => (string) strlen($body),
    ];
    $names = implode(' ', array_map(fn (string $name): string => "\"$name\"", COVERED));
    $expires = $created + 60;
    $parameters = "($names);alg=\"ecdsa-p256-sha256\";keyid=\"$keyId\""
        . ";created=$created;expires=$expires";
    $target = parse_url($url);
    $port = isset($target['port']) ? ":{$target['port']}" : '';
    $values = ['@method' => $method, '@authority' => $target['host'] . $port,
        '@path' => $target['path']] + $headers;
    $lines = array_map(fn (string $name): string => "\"$name\": {$values[$name]}", COVERED);
    $base = implode("\n", [...$lines, "\"@signature-params\": $parameters"]);
    openssl_sign($base, $signature, $privateKey, OPENSSL_ALGO_SHA256);
    return $headers + [
        'signature-input' => "sig-pp=$parameters",
        'signature' => 'sig-pp=:' . base64_encode($signature) . ':',
    ];
}
