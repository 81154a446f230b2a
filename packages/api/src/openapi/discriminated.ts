/** Discriminated unions by definition name, which only OpenAPI documents declare. */
export const discriminated: Readonly<Record<string, { readonly discriminator?: string; readonly members: readonly string[] }>> = {
  'io.k8s.api.core.v1.AppArmorProfile': { discriminator: 'type', members: ['localhostProfile'] },
  'io.k8s.api.core.v1.PodSchedulingGroup': { members: ['podGroupName'] },
  'io.k8s.api.core.v1.SeccompProfile': { discriminator: 'type', members: ['localhostProfile'] },
  'io.k8s.api.flowcontrol.v1.LimitResponse': { discriminator: 'type', members: ['queuing'] },
  'io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec': { discriminator: 'type', members: ['exempt', 'limited'] },
  'io.k8s.api.flowcontrol.v1.Subject': { discriminator: 'kind', members: ['group', 'serviceAccount', 'user'] },
  'io.k8s.api.scheduling.v1alpha2.PodGroupSchedulingPolicy': { members: ['basic', 'gang'] },
  'io.k8s.api.scheduling.v1alpha2.PodGroupTemplateReference': { members: ['workload'] },
}

/** Returns the value of the extension. */
export function unionsOf(definition: string): readonly object[] | undefined {
  if (!Object.hasOwn(discriminated, definition)) return undefined
  const { discriminator, members } = discriminated[definition]!
  const fields = Object.fromEntries(members.map((name) => [name, name[0]!.toUpperCase() + name.slice(1)]))
  return [{ ...(discriminator && { discriminator }), 'fields-to-discriminateBy': fields }]
}
