-- Lanes by the place of their first job: heap[1] is the lane with the most urgent one.
local heap = {}

local function sift_up()
  local at = #heap
  while at > 1 do
    local parent = math.floor(at / 2)
    if heap[parent].place <= heap[at].place then
      return
    end
    heap[parent], heap[at] = heap[at], heap[parent]
    at = parent
  end
end

local function sift_down()
  local at, size = 1, #heap
  while 2 * at <= size do
    local child = 2 * at
    if child < size and heap[child + 1].place < heap[child].place then
      child = child + 1
    end
    if heap[at].place <= heap[child].place then
      return
    end
    heap[at], heap[child] = heap[child], heap[at]
    at = child
  end
end

local function push_lane(lane)
  heap[#heap + 1] = lane
  sift_up()
end

local function pop_lane()
  heap[1] = heap[#heap]
  heap[#heap] = nil
  sift_down()
end
