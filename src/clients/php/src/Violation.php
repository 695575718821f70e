<?php

declare(strict_types=1);

namespace Folio;

/** An error in a request: `foreach ($error->errors as $one) { echo $one->param, $one->message; }` */
final class Violation
{
    /**
     * @param string  $param the field's path, such as `lines[0].quantity`
     * @param ?string $rule  the authority's rule that the request breaks, if there is one
     */
    public function __construct(
        public readonly string $param,
        public readonly string $code,
        public readonly string $message,
        public readonly ?string $rule,
    ) {
    }
}
