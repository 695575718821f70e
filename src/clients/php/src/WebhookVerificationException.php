<?php

declare(strict_types=1);

namespace Folio;

/**
 * The verifier rejected a webhook. Respond with 400:
 * `catch (WebhookVerificationException $error) { error_log($error->reason); }`
 *
 * `reason` is `missing`, `malformed`, `mismatch`, `expired`, `not_an_event`, or `unusable` for a mistake of the
 * receiver, such as no secret.
 */
final class WebhookVerificationException extends \RuntimeException
{
    private const EXPLAINED = [
        'missing' => 'The request has no Svc-Signature and no webhook-signature header: it is not from Folio.',
        'malformed' => 'A signature header cannot be read.',
        'mismatch' => 'No signature is right for this body and secret. '
            . 'Pass the raw bytes of the body, and the secret of this endpoint.',
        'expired' => 'The signature is right, but its time is too old or in the future. Check this machine\'s clock.',
        'unusable' => 'Pass a secret that begins with whsec_, the headers, and the raw body as a string, '
            . 'before it is parsed.',
        'not_an_event' => 'The signature is right, but the body is not an event.',
    ];

    public function __construct(public readonly string $reason)
    {
        parent::__construct(self::EXPLAINED[$reason]);
    }
}
