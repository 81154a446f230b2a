import { describe, expect, it } from 'vitest'
import { ApiError, createApiErrorFromStatus, isApiError, reasons } from './api-error.ts'
import * as errors from './api-errors.ts'
import { aggregateFieldErrors, fieldError, formatFieldError, newFieldPath, createVerbatimValue } from './field-error.ts'
import { quote } from './go-text.ts'

const configMaps = { group: '', resource: 'configmaps' }

describe('ApiError', () => {
  it('creates a complete Status with ordered members', () => {
    expect(JSON.stringify(errors.newNotFound({ group: 'apps', resource: 'deployments' }, 'x').status)).toBe(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \\"x\\" not found","reason":"NotFound","details":{"name":"x","group":"apps","kind":"deployments"},"code":404}',
    )
  })

  it('truncates long messages', () => {
    const long = 'x'.repeat(3_000_000)
    const path = newFieldPath('metadata', 'name')
    for (const error of [
      errors.newNotFound(configMaps, long),
      errors.newBadRequest(long),
      errors.newInvalid({ group: '', kind: 'ConfigMap' }, long, [fieldError.invalid(path, long, 'a'), fieldError.invalid(path, long, 'b')]),
      errors.newInvalid(
        { group: '', kind: 'ConfigMap' },
        'a',
        Array.from({ length: 200_000 }, (_, i) => fieldError.invalid(path, i, 'no')),
      ),
    ])
      expect(JSON.stringify(error.status).length).toBeLessThan(1_200_000)
    expect(errors.newBadRequest(long).message).toMatch(/^x{262144}\.\.\. \(2737856 more characters\)$/)
    const whole = 'y'.repeat(60_000)
    expect(errors.newInvalid({ group: '', kind: 'ConfigMap' }, whole, [fieldError.invalid(path, whole, '')])).toMatchObject({
      message: `ConfigMap "${whole}" is invalid: metadata.name: Invalid value: "${whole}"`,
      details: { name: whole, causes: [{ message: `Invalid value: "${whole}"` }] },
    })
  })

  it('recognizes an error by its name and reason', () => {
    expect(isApiError(errors.newGone('x'))).toBe(true)
    expect(isApiError(errors.newGone('x'), 'Gone')).toBe(true)
    expect(isApiError(errors.newGone('x'), 'Expired')).toBe(false)
    expect(isApiError(new Error('x'))).toBe(false)
    expect(new ApiError({ reason: 'Timeout', message: 'x' }).code).toBe(reasons.Timeout)
  })

  it('keeps the cause, and the Status of another server', () => {
    const cause = new Error('disk')
    expect(errors.newInternal('write failed', { cause }).cause).toBe(cause)
    const status = { metadata: {}, status: 'Failure', message: 'no', reason: 'Teapot', code: 418 }
    expect(createApiErrorFromStatus(status)).toMatchObject({ message: 'no', reason: 'Teapot', code: 418 })
  })

  it.each([
    [errors.newConflict(configMaps, 'a', 'changed'), 409, 'Operation cannot be fulfilled on configmaps "a": changed'],
    [errors.newForbidden({ group: '', resource: '' }, '', 'no'), 403, 'forbidden: no'],
    [errors.newForbidden(configMaps, '', 'no'), 403, 'configmaps is forbidden: no'],
    [errors.newForbidden(configMaps, 'a', 'no'), 403, 'configmaps "a" is forbidden: no'],
    [errors.newUnauthorized(), 401, 'not authorized'],
    [errors.newMethodNotSupported(configMaps, 'update'), 405, 'update is not supported on resources of kind "configmaps"'],
    [errors.newTooLargeResourceVersion(9, 5, 1), 504, 'Timeout: Too large resource version: 9, current: 5'],
    [errors.newGenericServerResponse(404, 'GET', { group: '', resource: '' }, ''), 404, 'the server could not find the requested resource'],
    [errors.newGenericServerResponse(409, 'POST', configMaps, 'a'), 409, 'the server reported a conflict (post configmaps a)'],
    [errors.newUnknownError('plain'), 500, 'plain'],
  ])('creates errors with the code and message of kube-apiserver: %s', (error, code, message) => {
    expect([error.code, error.message]).toEqual([code, message])
  })

  it('lists invalid fields', () => {
    const path = newFieldPath('dryRun')
    const error = errors.newInvalid({ group: 'meta.k8s.io', kind: 'CreateOptions' }, '', [fieldError.notSupported(path, ['Some'], ['All'])])
    expect(error.message).toBe('CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"')
    expect(error.details).toEqual({
      group: 'meta.k8s.io',
      kind: 'CreateOptions',
      causes: [{ reason: 'FieldValueNotSupported', message: 'Unsupported value: ["Some"]: supported values: "All"', field: 'dryRun' }],
    })
  })
})

describe('formatFieldError', () => {
  const path = newFieldPath('spec', 'containers').index(0).child('env').key('A')

  it.each([
    [fieldError.required(path), 'spec.containers[0].env[A]: Required value'],
    [fieldError.required(newFieldPath('a'), 'say so'), 'a: Required value: say so'],
    [fieldError.invalid(newFieldPath('a'), 'x"\n', 'bad'), 'a: Invalid value: "x\\"\\n": bad'],
    [fieldError.invalid(newFieldPath('a'), 5, 'bad'), 'a: Invalid value: 5: bad'],
    [fieldError.invalid(newFieldPath('a'), null, 'bad'), 'a: Invalid value: null: bad'],
    [fieldError.invalid(newFieldPath('a'), { b: '<' }, 'bad'), 'a: Invalid value: {"b":"\\u003c"}: bad'],
    [fieldError.invalid(newFieldPath('a'), createVerbatimValue('core.X{}'), ''), 'a: Invalid value: core.X{}'],
    [fieldError.invalid(undefined, '', 'bad'), '<nil>: Invalid value: "": bad'],
    [fieldError.duplicate(newFieldPath('a'), true), 'a: Duplicate value: true'],
    [fieldError.tooLong(newFieldPath('a'), 1), 'a: Too long: may not be more than 1 byte'],
    [fieldError.tooMany(newFieldPath('a'), 3, 2), 'a: Too many: 3: must have at most 2 items'],
    [fieldError.tooMany(newFieldPath('a'), -1, 2), 'a: Too many: must have at most 2 items'],
    [fieldError.forbidden(newFieldPath('a'), 'no'), 'a: Forbidden: no'],
    [fieldError.notFoundField(newFieldPath('a'), 'x'), 'a: Not found: "x"'],
    [fieldError.internal(newFieldPath('a'), 'oops'), 'a: Internal error: oops'],
  ])('formats an error like kube-apiserver, case %#', (error, message) => {
    expect(formatFieldError(error)).toBe(message)
  })

  it('joins messages in brackets, without duplicates', () => {
    const a = fieldError.required(newFieldPath('a'))
    expect(aggregateFieldErrors([a, a])).toBe('a: Required value')
    expect(aggregateFieldErrors([a, fieldError.required(newFieldPath('b')), a])).toBe('[a: Required value, b: Required value]')
  })

  it('quotes values like Go', () => {
    expect(quote('é\u0000\u200b\u{1f600}\u007f\\')).toBe('"é\\x00\\u200b😀\\x7f\\\\"')
  })
})
