// Floating point in all formats.
#include <stdio.h>
#include <math.h>
static float half(float x) { return x / 2; }
int main(void) {
  float f = 0.1f; double d = 0.1; long double l = 0.1L;
  printf("%.9g %.17g %.17g\n", f, d, (double)l);
  printf("%d %d %d\n", f == 0.1, (double)f == d, (long double)d == l);
  printf("%.9g %.17g\n", f * 3, d * 3);
  printf("%.17g %.17g %d\n", (double)(l * 3), (double)(l / 7), l * 3 == 0.3L);
  printf("%a %a\n", 1.0, -0x1.8p-3);
  printf("%g %g %g\n", 1e300 * 1e300, -1e300 * 1e300, 0.0 / 1.0);
  printf("%d %d %d\n", (int)3.99, (int)-3.99, (unsigned char)200.7f);
  printf("%f %f %e %E %g %G\n", 1.5, -0.25, 12345.678, 1e-10, 1e-5, 1e20);
  printf("%.0f %.0f %.0f %.3f %10.2f|%-10.2f|%+.1f|% .1f|%010.3f\n", 0.5, 1.5, 2.5, 2.0005, 3.14159, 3.14159, 1.0, 1.0, -2.5);
  printf("%g %g\n", half(3), half(1e-45f));
  double z = 0.0, nan = z / z, inf = 1 / z;
  printf("%d %d %d %d\n", nan == nan, nan != nan, nan < 1, !(nan >= 1));
  printf("%d %d\n", inf > 1e308, -inf < 0);
  printf("%d %d %d\n", isnan(nan) != 0, isinf(inf) != 0, isfinite(1.0) != 0);
  printf("%g %g %g %g\n", floor(-1.5), ceil(-1.5), trunc(-1.5), round(-1.5));
  printf("%g %g %g\n", fmod(7.5, 2), sqrt(2.0), fabs(-3.0));
  printf("%g %g %g %g\n", rint(2.5), nearbyint(3.5), fmin(1, nan), fmax(nan, 2));
  printf("%d\n", (int)(float)16777217);
  printf("%.10g %.10g\n", (double)(float)1e-40, (double)4294967295u);
  printf("%lld %llu\n", (long long)1e18, (unsigned long long)1.8e19);
  printf("%g\n", (double)-1LL + 2.5f);
  float acc = 0; for (int i = 0; i < 1000; i++) acc += 0.1f;
  printf("%.9g\n", acc);
  double dd = 1; dd++; dd += 0.5; dd *= 2; dd /= 3; dd -= 1; --dd;
  printf("%.17g\n", dd);
  printf("%d %d\n", 1.0 && 0.0, !0.3);
  printf("%.17g %d\n", (double)(1.0L / 3 - 1.0 / 3), 1e4000L > 1e308L);
  union { double d; unsigned long long u; } p = { 1.0 };
  printf("%llx\n", p.u); p.u++; printf("%.17g\n", p.d);
  union { float f; unsigned u; } w = { -2.5f };
  printf("%x\n", w.u);
  printf("%d %d\n", signbit(-0.0) != 0, -0.0 == 0.0);
  return 0;
}
