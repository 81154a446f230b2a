import type { DelegationOptions } from '@keelson/aggregator/extension-server'
import { isBoolean, isNumber, isString } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'

export const delegationChecks: OptionTable<DelegationOptions> = {
  kubeconfigFile: isString,
  lookUpAuthentication: isBoolean,
  tolerateLookupFailure: isBoolean,
  timeoutMs: isNumber({ min: 1 }),
  tokenTtlMs: isNumber(),
  authorizedTtlMs: isNumber(),
  unauthorizedTtlMs: isNumber(),
}
