import { SLOTS_PER_WINDOW } from './hit-window.js';

/**
 * `countHit` as one atomic script, on Redis' own clock, so that replicas whose clocks differ count alike.
 *
 * KEYS[1] the window; ARGV limit, windowMs, number of simultaneous hits (negative to give hits back). Returns admitted (0 or 1), hits, waitMs and the clock's
 * milliseconds. https://redis.io/docs/latest/develop/programmability/lua-api/
 */
export const HIT_WINDOW_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit = tonumber(ARGV[1])
local window_ms = tonumber(ARGV[2])
local hits = tonumber(ARGV[3])
local packed = redis.call('GET', KEYS[1])
local kept = packed and cmsgpack.unpack(packed) or {}
local window = {}
local total = 0
for i = 1, #kept, 2 do
  if kept[i] + window_ms > now then
    window[#window + 1] = kept[i]
    window[#window + 1] = kept[i + 1]
    total = total + kept[i + 1]
  end
end
local function wait(excess)
  local forgotten = 0
  for i = 1, #window, 2 do
    forgotten = forgotten + window[i + 1]
    if forgotten > excess then return window[i] + window_ms - now end
  end
  return window_ms
end
if hits < 0 then
  while hits < 0 and #window > 0 do
    local removed = math.min(-hits, window[2])
    hits = hits + removed
    total = total - removed
    window[2] = window[2] - removed
    if window[2] == 0 then
      table.remove(window, 1)
      table.remove(window, 1)
    end
  end
  if #window == 0 then
    redis.call('DEL', KEYS[1])
  else
    redis.call('SET', KEYS[1], cmsgpack.pack(window), 'PX', math.ceil(window[#window - 1] - now + window_ms))
  end
  return {1, total, wait(0), now}
end
if total + hits > limit then return {0, total, wait(total + hits - 1 - limit), now} end
local slot_ms = window_ms / ${SLOTS_PER_WINDOW}
local newest = #window > 0 and window[#window - 1] or nil
local at = newest and math.max(now, newest) or now
if newest and math.floor(at / slot_ms) == math.floor(newest / slot_ms) then
  window[#window - 1] = at
  window[#window] = window[#window] + hits
else
  window[#window + 1] = at
  window[#window + 1] = hits
end
redis.call('SET', KEYS[1], cmsgpack.pack(window), 'PX', math.ceil(at - now + window_ms))
return {1, total + hits, wait(0), now}
`;
