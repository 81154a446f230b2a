import type { Check, CheckPod } from '../check.ts'

function checkWith(safe: readonly string[]): CheckPod {
  const allowed: ReadonlySet<string> = new Set(safe)
  return ({ spec }) => {
    const forbidden = (spec.securityContext?.sysctls ?? []).filter(({ name }) => !allowed.has(name))
    return forbidden.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: forbidden.map(({ name }) => name).join(', ') }
  }
}

const since0 = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
]
const since27 = [...since0, 'net.ipv4.ip_local_reserved_ports']
const since29 = [
  ...since27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
]
const since32 = [...since29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']

export const sysctls: Check = {
  id: 'sysctls',
  level: 'baseline',
  versions: [
    { from: 0, check: checkWith(since0) },
    { from: 27, check: checkWith(since27) },
    { from: 29, check: checkWith(since29) },
    { from: 32, check: checkWith(since32) },
  ],
}
