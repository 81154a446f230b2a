import type { WindowsSecurityContextOptions } from '@keelson/api/core/v1'
import { measureUtf8Bytes, fieldError, isDNS1123Subdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors } from './field-rules.ts'
import { listContainersWithPath, hasContainer } from './visit-containers.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

const maxCredentialKiB = 64
const maxDomain = 256
const maxUser = 104
// eslint-disable-next-line no-control-regex -- matches control characters on purpose
const controlCharacters = /[\u0000-\u001f\u007f]/
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const domainName = /^(?:[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)(?:\.(?:[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?))*$/

interface WithWindowsOptions {
  readonly windowsOptions?: DeepReadonly<WindowsSecurityContextOptions>
}

/** Validates the Windows options in the security context of a pod or container. */
export function validateWindowsOptions({ windowsOptions }: WithWindowsOptions, contextPath: FieldPath): FieldErrorList {
  if (windowsOptions === undefined) return []
  const path = contextPath.child('windowsOptions')
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName: user } = windowsOptions
  const errors =
    specName === undefined ? [] : createInvalidErrors(isDNS1123Subdomain(specName), specName, path.child('gmsaCredentialSpecName'))
  if (spec !== undefined) {
    const at = path.child('gmsaCredentialSpec')
    if (spec === '') errors.push(fieldError.invalid(at, spec, 'gmsaCredentialSpec cannot be an empty string'))
    else if (measureUtf8Bytes(spec) > maxCredentialKiB * 1024) {
      errors.push(fieldError.invalid(at, spec, `gmsaCredentialSpec size must be under ${maxCredentialKiB} KiB`))
    }
  }
  if (user !== undefined)
    errors.push(
      ...createInvalidErrors(
        findUserNameErrors(user).map((text) => `runAsUserName${text}`),
        user,
        path.child('runAsUserName'),
      ),
    )
  return errors
}

/** Returns error messages about a Windows user name, which has the form "user" or "domain\user". */
function findUserNameErrors(name: string): readonly string[] {
  if (name === '') return [' cannot be an empty string']
  if (controlCharacters.test(name)) return [' cannot contain control characters']
  const domainAndUser = name.split('\\')
  if (domainAndUser.length > 2) return [' cannot contain more than one backslash']
  const user = domainAndUser.at(-1)!
  const messages = domainAndUser.length === 2 ? findDomainErrors(domainAndUser[0]!) : []
  if (user === '') messages.push("'s User cannot be empty")
  else if (measureUtf8Bytes(user) > maxUser) messages.push(`'s User length must not be longer than ${maxUser} characters`)
  if (/^[. ]+$/.test(user)) messages.push("'s User cannot contain only periods or spaces")
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) messages.push(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`)
  return messages
}

function findDomainErrors(domain: string): string[] {
  const messages: string[] = []
  if (measureUtf8Bytes(domain) >= maxDomain) messages.push(`'s Domain length must be under ${maxDomain} characters`)
  if (!netBiosName.test(domain) && !domainName.test(domain)) messages.push("'s Domain doesn't match the NetBios nor the DNS format")
  return messages
}

/**
 * Validates HostProcess containers, which run directly on the Windows host. Either all containers of a pod are HostProcess containers, or
 * none.
 */
export function validateHostProcess(spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  const podValue = spec.securityContext?.windowsOptions?.hostProcess
  if (!podValue && !hasContainer(spec, ({ securityContext }) => securityContext?.windowsOptions !== undefined)) return []
  const errors: FieldErrorList = []
  const containers = listContainersWithPath(spec, path)
  let count = 0
  for (const { container, path: at } of containers) {
    const containerValue = container.securityContext?.windowsOptions?.hostProcess
    if (podValue !== undefined && containerValue !== undefined && podValue !== containerValue) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${podValue}`
      errors.push(fieldError.invalid(at.child('securityContext', 'windowsOptions', 'hostProcess'), containerValue, detail))
    }
    if (containerValue ?? podValue) count += 1
  }
  if (count === 0) return errors
  if (count !== containers.length) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers'
    errors.push(fieldError.invalid(path, '', detail))
  }
  if (spec.hostNetwork !== true) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers'
    errors.push(fieldError.invalid(path.child('hostNetwork'), false, detail))
  }
  return errors
}
