/** Audit policies for the comparison. Together they use every level, every stage, and every kind of rule. */
export const auditPolicies: readonly { readonly name: string; readonly policy: object }[] = [
  { name: 'metadata', policy: { rules: [{ level: 'Metadata' }] } },
  { name: 'request-response', policy: { rules: [{ level: 'RequestResponse' }] } },
  { name: 'request', policy: { omitStages: ['RequestReceived'], omitManagedFields: true, rules: [{ level: 'Request' }] } },
  {
    name: 'mixed',
    policy: {
      omitStages: ['RequestReceived'],
      rules: [
        { level: 'None', nonResourceURLs: ['/healthz*', '/version', '/openapi/*'] },
        { level: 'None', users: ['alice'], verbs: ['get', 'list'] },
        { level: 'Metadata', userGroups: ['system:unauthenticated'] },
        { level: 'Metadata', resources: [{ group: '', resources: ['secrets', 'configmaps', '*/status'] }] },
        { level: 'RequestResponse', omitManagedFields: true, resources: [{ group: 'apps' }, { group: '', resources: ['pods', 'pods/*'] }] },
        { level: 'Request', resources: [{ group: '*', resources: ['*/scale'] }], omitStages: ['ResponseStarted'] },
        { level: 'Request', namespaces: [''], omitManagedFields: false },
        { level: 'Metadata', resources: [{ group: 'batch', resources: ['jobs'], resourceNames: ['a'] }] },
      ],
    },
  },
  {
    name: 'stages',
    policy: {
      omitManagedFields: true,
      rules: [
        { level: 'RequestResponse', verbs: ['create', 'delete', 'deletecollection'], omitStages: ['RequestReceived', 'Panic'] },
        { level: 'RequestResponse', verbs: ['watch', 'list'], omitManagedFields: false },
        { level: 'Metadata', omitStages: ['ResponseComplete'] },
      ],
    },
  },
]
