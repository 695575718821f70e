<?php

declare(strict_types=1);

namespace Folio\Resource;

/** The account of the key: `$folio->account` */
final class Account extends ResourceMethods
{
    /**
     * Returns the account: `$folio->account->retrieve()['key_mode']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(): array
    {
        return $this->get('/v1/account');
    }

    /**
     * Updates the account: `$folio->account->update(['email' => 'facturas@tienda.test'])`
     *
     * @param array<string, mixed> $changes
     * @return array<string, mixed>
     */
    public function update(array $changes, ?string $idempotencyKey = null): array
    {
        return $this->patch('/v1/account', $idempotencyKey, $changes);
    }

    /**
     * Sets the logo of the PDFs: `$folio->account->putLogo(file_get_contents('logo.png'))`
     *
     * @return array<string, mixed>
     */
    public function putLogo(string $picture, ?string $idempotencyKey = null): array
    {
        return $this->put('/v1/account/logo', $idempotencyKey, $picture);
    }

    /** Returns the bytes of the logo: `file_put_contents('logo', $folio->account->logo());` */
    public function logo(): string
    {
        return $this->folio->download('/v1/account/logo');
    }

    /**
     * Removes the logo: `$folio->account->deleteLogo()`
     *
     * @return array<string, mixed>
     */
    public function deleteLogo(): array
    {
        return $this->folio->request('DELETE', '/v1/account/logo');
    }

    /**
     * Starts the authority's test set: `$folio->account->startEnablement(['test_set_id' => …, 'invoices' => 30, …])`
     *
     * @param array<string, mixed> $testSet
     * @return array<string, mixed>
     */
    public function startEnablement(array $testSet, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/account/enablement', $idempotencyKey, $testSet);
    }

    /**
     * Returns the progress of the test set: `$folio->account->enablement()['status']`
     *
     * @return array<string, mixed>
     */
    public function enablement(): array
    {
        return $this->get('/v1/account/enablement');
    }

    /**
     * Stores the certificate that signs live documents:
     * `$folio->account->uploadCertificate(['pkcs12' => …, 'password' => …])`
     *
     * @param array<string, mixed> $certificate
     * @return array<string, mixed>
     */
    public function uploadCertificate(#[\SensitiveParameter] array $certificate, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/account/certificate', $idempotencyKey, $certificate);
    }

    /**
     * Sets the software that live documents name: `$folio->account->putSoftware(['id' => …, 'pin' => …])`
     *
     * @param array<string, mixed> $software
     * @return array<string, mixed>
     */
    public function putSoftware(#[\SensitiveParameter] array $software, ?string $idempotencyKey = null): array
    {
        return $this->put('/v1/account/software', $idempotencyKey, $software);
    }

    /**
     * Removes the account's software, so that documents name the service's: `$folio->account->deleteSoftware()`
     *
     * @return array<string, mixed>
     */
    public function deleteSoftware(): array
    {
        return $this->folio->request('DELETE', '/v1/account/software');
    }
}
