<?php

declare(strict_types=1);

namespace Folio;

/**
 * A webhook was refused; answer it with 400: `catch (WebhookVerificationException $error) { error_log($error->reason); }`
 *
 * `reason` is `missing`, `malformed`, `mismatch`, `expired`, `not_an_event`, or `unusable` for a mistake of the receiver's own,
 * such as no secret.
 */
final class WebhookVerificationException extends \RuntimeException
{
    private const EXPLAINED = [
        'missing' => 'The request carries no Svc-Signature and no webhook-signature header: it is not from Folio.',
        'malformed' => 'A signature header cannot be read.',
        'mismatch' => 'No signature is right for this body and secret. '
            . 'Pass the body\'s bytes as they arrived, and the secret of this endpoint.',
        'expired' => 'The signature is right, but too old or from the future. Check this machine\'s clock.',
        'unusable' => 'Pass a secret that begins with whsec_, the headers, and the body as a string, '
            . 'before anything has parsed it.',
        'not_an_event' => 'The signature is right, but the body is no event.',
    ];

    public function __construct(public readonly string $reason)
    {
        parent::__construct(self::EXPLAINED[$reason]);
    }
}
