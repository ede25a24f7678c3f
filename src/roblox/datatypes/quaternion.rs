//! Rotations as quaternions and as matrices.

/// The rotation matrix of a quaternion x, y, z, w of length 1, row by row.
pub(crate) fn to_matrix([x, y, z, w]: [f64; 4]) -> [f64; 9] {
    [
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    ]
}

/// The quaternion x, y, z, w of a rotation matrix, given row by row. Its length is not 1.
pub(crate) fn of_matrix(matrix: &[f64; 9]) -> [f64; 4] {
    let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = *matrix;
    // each row is the quaternion times four times one of its components; the largest is the most exact
    let rows = [
        (1.0 + xx - yy - zz, [1.0 + xx - yy - zz, xy + yx, xz + zx, zy - yz]),
        (1.0 - xx + yy - zz, [xy + yx, 1.0 - xx + yy - zz, yz + zy, xz - zx]),
        (1.0 - xx - yy + zz, [xz + zx, yz + zy, 1.0 - xx - yy + zz, yx - xy]),
        (1.0 + xx + yy + zz, [zy - yz, xz - zx, yx - xy, 1.0 + xx + yy + zz]),
    ];
    let best = rows.into_iter().max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.map_or([f64::NAN; 4], |(_, quaternion)| quaternion)
}

/// The same quaternion with length 1; `None` if its length is 0 or not finite.
pub(crate) fn normalised(quaternion: [f64; 4]) -> Option<[f64; 4]> {
    // first by the largest, so that no square is out of range
    let largest = quaternion.iter().fold(0.0, |largest: f64, component| largest.max(component.abs()));
    let length = quaternion.iter().map(|component| (component / largest).powi(2)).sum::<f64>().sqrt() * largest;
    (length > 0.0 && length.is_finite()).then(|| quaternion.map(|component| component / length))
}
