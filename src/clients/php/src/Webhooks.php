<?php

declare(strict_types=1);

namespace Folio;

/**
 * The webhook verifier. A webhook is genuine if one of its two signatures over the received bytes is right for one of
 * the receiver's secrets, and its time is within five minutes of the receiver's clock.
 */
final class Webhooks
{
    private const NAMES = ['svc-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

    /** The faults, the least useful to the receiver first. If there are several, the last in this list is reported. */
    private const WEIGHT = ['malformed', 'mismatch', 'expired'];

    /**
     * Returns the event of a genuine webhook:
     * `$event = Folio\Webhooks::verify(file_get_contents('php://input'), $_SERVER, getenv('FOLIO_WEBHOOK_SECRET'));`
     *
     * A value that must be a string and is not is `unusable`, so a missing setting throws no other exception.
     *
     * @param string               $payload          the raw body, not JSON that was parsed and serialized again
     * @param array<string, mixed> $headers          the headers by name, in any case, or `$_SERVER`
     * @param string|list<string>  $secret           the endpoint's `whsec_…`; both secrets while you rotate it
     * @param ?int                 $now              the current time in Unix seconds
     * @param int                  $toleranceSeconds the tolerance between the webhook's time and `$now`
     * @return array<string, mixed>
     * @throws WebhookVerificationException no other exception
     */
    public static function verify(
        mixed $payload,
        mixed $headers,
        #[\SensitiveParameter] mixed $secret,
        ?int $now = null,
        int $toleranceSeconds = 300,
    ): array {
        $secrets = self::secretsOf($secret);
        if ($secrets === [] || !is_string($payload) || !is_array($headers)) {
            throw new WebhookVerificationException('unusable');
        }
        $found = self::headersOf($headers);
        $now ??= time();
        $faults = [];
        foreach ($secrets as [$text, $standardKey]) {
            if (isset($found['svc-signature'])) {
                $faults[] = self::judgeSvc($text, $found['svc-signature'], $payload, $now, $toleranceSeconds);
            }
            if (isset($found['webhook-id'], $found['webhook-timestamp'], $found['webhook-signature'])) {
                $faults[] = self::judgeStandard($standardKey, $found, $payload, $now, $toleranceSeconds);
            }
        }
        if ($faults === []) {
            throw new WebhookVerificationException('missing');
        }
        if (!in_array(null, $faults, true)) {
            $heaviest = max(array_map(static fn (string $fault) => array_search($fault, self::WEIGHT, true), $faults));
            throw new WebhookVerificationException(self::WEIGHT[$heaviest]);
        }
        $event = json_decode($payload, true, 512, JSON_BIGINT_AS_STRING | JSON_INVALID_UTF8_SUBSTITUTE);
        if (!is_array($event) || ($event['object'] ?? null) !== 'event' || !array_key_exists('type', $event)) {
            throw new WebhookVerificationException('not_an_event');
        }
        return $event;
    }

    /**
     * The signature headers, by their names in lower case.
     *
     * @param array<mixed> $headers
     * @return array<string, string>
     */
    private static function headersOf(array $headers): array
    {
        $found = [];
        foreach ($headers as $key => $value) {
            $name = strtolower((string) $key);
            // `$_SERVER` has the name HTTP_SVC_SIGNATURE for the header Svc-Signature.
            $name = str_starts_with($name, 'http_') ? strtr(substr($name, strlen('http_')), '_', '-') : $name;
            $text = is_array($value) ? implode(',', array_filter($value, is_string(...))) : $value;
            if (is_string($text) && in_array($name, self::NAMES, true)) {
                $found[$name] = isset($found[$name]) ? "$found[$name],$text" : $text;
            }
        }
        return $found;
    }

    /**
     * The two keys of each secret: its text for `Svc-Signature`, and the decoded bytes after `whsec_` for Standard
     * Webhooks.
     *
     * @return list<array{string, string}>
     */
    private static function secretsOf(#[\SensitiveParameter] mixed $secret): array
    {
        $secrets = [];
        foreach (is_array($secret) ? $secret : [$secret] as $one) {
            if (is_string($one) && str_starts_with($one, 'whsec_')) {
                $key = base64_decode(strtr(substr($one, strlen('whsec_')), '-_', '+/'));
                // Anyone can sign with an empty key, so a missing setting must not count as a secret.
                if ($key !== false && $key !== '') {
                    $secrets[] = [$one, $key];
                }
            }
        }
        return $secrets;
    }

    private static function judgeSvc(
        #[\SensitiveParameter] string $secret,
        string $header,
        string $payload,
        int $now,
        int $tolerance,
    ): ?string {
        $fields = array_map(static fn (string $field) => trim($field, " \t"), explode(',', $header));
        $times = self::after('t=', $fields);
        $given = self::after('v1=', $fields);
        if (count($times) !== 1 || !self::isTime($times[0]) || $given === []) {
            return 'malformed';
        }
        return self::judge($given, hash_hmac('sha256', "$times[0].$payload", $secret), (int) $times[0], $now, $tolerance);
    }

    /** @param array<string, string> $headers */
    private static function judgeStandard(
        #[\SensitiveParameter] string $key,
        array $headers,
        string $payload,
        int $now,
        int $tolerance,
    ): ?string {
        $sent = $headers['webhook-timestamp'];
        $given = self::after('v1,', explode(' ', $headers['webhook-signature']));
        if (!self::isTime($sent) || $given === []) {
            return 'malformed';
        }
        $signature = hash_hmac('sha256', $headers['webhook-id'] . ".$sent.$payload", $key, true);
        return self::judge($given, base64_encode($signature), (int) $sent, $now, $tolerance);
    }

    /**
     * The rest of each text that starts with the prefix.
     *
     * @param list<string> $texts
     * @return list<string>
     */
    private static function after(string $prefix, array $texts): array
    {
        $found = array_filter($texts, static fn (string $text) => str_starts_with($text, $prefix));
        return array_map(static fn (string $text) => substr($text, strlen($prefix)), array_values($found));
    }

    private static function isTime(string $text): bool
    {
        return preg_match('/^[0-9]{1,12}$/D', $text) === 1;
    }

    /** @param list<string> $given */
    private static function judge(array $given, string $expected, int $sent, int $now, int $tolerance): ?string
    {
        $matches = false;
        // The loop compares all signatures, so its duration does not reveal which one is right.
        foreach ($given as $one) {
            $matches = hash_equals($expected, $one) || $matches;
        }
        // The signature is checked before the time, so only a genuine header is expired.
        if (!$matches) {
            return 'mismatch';
        }
        return abs($now - $sent) <= $tolerance ? null : 'expired';
    }
}
