-- Prints how many answers there were, in how many microseconds, how many were no 2xx or 3xx, and each latency with its count.
done = function(summary, latency)
  io.write(string.format("truth %d %d %d\n", summary.requests, summary.duration, summary.errors.status))
  for i = 1, #latency do
    local us, count = latency(i)
    io.write(string.format("%d %d\n", us, count))
  end
end
