NOTE TO PART E, from the one who coordinates: half-close probing (100 Continue written beside the connection, comments put into streams) is
dropped on purpose: too much mechanism for a client that hardly exists. connection.rs, pulse.rs, socket.rs of opentool-server and
connections.rs, stall.rs, lib.rs of opentool-mcp were put back to HEAD and are MINE for the next 20 minutes (speed: no timer for each head,
no zeroed buffers). Your patch is kept in /tmp/b4/half_close.patch. The old decision in the head of connection.rs stands. Keep body.rs; I take
over your HTTP/1.0 `Connection: close` lines. Go on with your other items (g without HTTP/1.0, l, b, c, e, j), commit, report. Delete this file.
