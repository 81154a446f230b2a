import { createPathAction, createResourceAction } from '@keelson/apimachinery'
import type { GroupVersionResource, RequestContext } from '@keelson/apimachinery'

export interface TestContext extends RequestContext {
  readonly warnings: string[]
}

/** Creates a request context like that of the HTTP layer. The context collects warnings, so that tests can check them. */
export function testContext(namespace: string, resource?: GroupVersionResource): TestContext {
  const warnings: string[] = []
  return {
    warnings,
    user: { name: 'tester', groups: ['system:masters'] },
    attributes:
      resource === undefined
        ? createPathAction('', '/')
        : createResourceAction({
            verb: '',
            apiGroup: resource.group,
            apiVersion: resource.version,
            namespace,
            resource: resource.resource,
          }),
    namespace,
    signal: new AbortController().signal,
    userAgent: 'test',
    fieldManager: 'test',
    requestId: 'test',
    warn: (text) => {
      if (!warnings.includes(text)) warnings.push(text)
    },
  }
}
