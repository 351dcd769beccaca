<?php

declare(strict_types=1);

/** Without these in it, a signature could be put on another message. */
const MUST_BE_COVERED = ['@method', '@authority', '@path', 'content-digest'];

/**
 * Is this callback genuine? In a web server: $method is $_SERVER['REQUEST_METHOD'], $url $_SERVER['REQUEST_URI'], $headers
 * array_change_key_case(getallheaders()), $body file_get_contents('php://input'), $keys what GET /v2/public-key/http answered.
 *
 * @param array<string, string> $headers with names in lower case
 * @param list<array{id: string, key: string}> $keys
 */
function isGenuine(string $method, string $url, array $headers, string $body, array $keys, ?int $now = null): bool
{
    if (!preg_match('/^([\w.*-]+)=(\(([^)]*)\).*)$/D', $headers['signature-input'] ?? '', $signed)) return false;
    if (!preg_match('/^([\w.*-]+)=:([^:]+):$/D', $headers['signature'] ?? '', $signature)) return false;
    [, $label, $input, $list] = $signed;
    [, $name, $value] = $signature;
    if ($label !== $name) return false;

    preg_match_all('/"([^"]+)"/', $list, $found);
    $covered = $found[1];
    if (array_diff(MUST_BE_COVERED, $covered) !== []) return false;
    if (!preg_match('/;expires=(\d+)/', $input, $expires) || ($now ?? time()) > (int) $expires[1]) return false;
    $digest = 'sha-512=:' . base64_encode(hash('sha512', $body, true)) . ':';
    if (!hash_equals($digest, $headers['content-digest'] ?? '')) return false;

    $derived = ['@method' => $method, '@authority' => $headers['host'] ?? '', '@path' => explode('?', $url)[0]];
    $lines = array_map(fn (string $name): string => "\"$name\": " . ($derived[$name] ?? $headers[$name] ?? ''), $covered);
    $base = implode("\n", [...$lines, "\"@signature-params\": $input"]);
    foreach ($keys as ['id' => $id, 'key' => $key]) {
        if (str_contains($input, ";keyid=\"$id\"")) {
            return openssl_verify($base, (string) base64_decode($value, true), $key, OPENSSL_ALGO_SHA256) === 1;
        }
    }
    return false;
}
